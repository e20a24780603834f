#include "leat/sdk/plugin.h"

#include "segment_engine.h"

namespace {

using leat::sdk::OptionKind;

constexpr std::int64_t mib = 1024 * 1024;

leat::sdk::Result<std::unique_ptr<leat::sdk::StorageEngine>> make(
    leat::sdk::PluginContext& context, const leat::sdk::Settings& settings) {
    return leat::segment::SegmentEngine::start(
        context, leat::segment::posix_file_system(),
        {.most_open_files = static_cast<std::size_t>(settings.integer("most_open_files")),
         .index_step = settings.bytes("index_step"),
         .writeback_bytes = settings.bytes("writeback"),
         .checkpoint_interval = settings.duration("checkpoint_interval")});
}

}  // namespace

LEAT_PLUGIN("segment", "1.0.0", [](leat::sdk::Registrar& host) {
    host.storage_engine(
        {.name = "segment",
         .description = "Kafka's own folders and files, in the page cache and on the device.",
         .options =
             {{.name = "most_open_files",
               .kind = OptionKind::integer,
               .fallback = std::int64_t{1000},
               .description = "Files kept open for readers, beside one for each active log.",
               .least = 1,
               .most = 1'000'000},
              {.name = "index_step",
               .kind = OptionKind::size,
               .fallback = std::int64_t{32 * 1024},
               .description = "Bytes between two entries of a segment's index, at least.",
               .least = 0,
               .most = 64 * mib},
              {.name = "writeback",
               .kind = OptionKind::size,
               .fallback = std::int64_t{8 * mib},
               .description = "Bytes after which the kernel is asked to write; 0 never asks.",
               .least = 0,
               .most = 1024 * mib},
              {.name = "checkpoint_interval",
               .kind = OptionKind::duration,
               .fallback = std::int64_t{60'000},
               .description = "Time between two writes of the recovery points.",
               .least = 0,
               .most = 86'400'000}},
         .capabilities = {.durable = true, .truncatable = true, .side_files = true},
         .make = &make});
});
