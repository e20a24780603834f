#include "leat/sdk/plugin.h"

#include "engine_settings.h"
#include "segment_engine.h"

namespace {

leat::sdk::Result<std::unique_ptr<leat::sdk::StorageEngine>> make(
    leat::sdk::PluginContext& context, const leat::sdk::Settings& settings) {
    return leat::segment::SegmentEngine::start(context, leat::segment::posix_file_system(),
                                               leat::segment::engine_settings(settings));
}

}  // namespace

LEAT_PLUGIN("segment", "1.0.0", [](leat::sdk::Registrar& host) {
    host.storage_engine(
        {.name = "segment",
         .description = "Kafka's own folders and files, in the page cache and on the device.",
         .options = leat::segment::engine_options(),
         .capabilities =
             {.durable = true, .truncatable = true, .side_files = true, .rewritable = true},
         .make = &make});
});
