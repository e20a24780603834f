#include "leat/sdk/plugin.h"

#include "engine_settings.h"
#include "mmap_engine.h"

namespace {

using leat::sdk::Option;
using leat::sdk::OptionKind;

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;
constexpr std::uint64_t page_bytes = 4096;

std::vector<Option> options() {
    std::vector<Option> all{
        {.name = "segment_size",
         .kind = OptionKind::size,
         .fallback = std::int64_t{64 * mib},
         .description = "Bytes of a prepared file; a segment ends when it is full, if the topic's "
                        "segment.bytes does not end it before.",
         .least = 64 * kib,
         .most = 1024 * mib},
        {.name = "spare_segments",
         .kind = OptionKind::integer,
         .fallback = std::int64_t{2},
         .description = "Prepared files kept in store.",
         .least = 1,
         .most = 1000},
        {.name = "most_mapped",
         .kind = OptionKind::integer,
         .fallback = std::int64_t{64},
         .description = "Segments that are mapped at a time, spares included; others are written "
                        "by calls, as with the engine segment.",
         .least = 1,
         .most = 10'000}};
    for (Option& option : leat::segment::engine_options()) all.push_back(std::move(option));
    return all;
}

leat::sdk::Result<std::unique_ptr<leat::sdk::StorageEngine>> make(
    leat::sdk::PluginContext& context, const leat::sdk::Settings& settings) {
    const std::uint64_t pages = (settings.bytes("segment_size") + page_bytes - 1) / page_bytes;
    return leat::mmap::MmapEngine::start(
        context, leat::segment::posix_file_system(), leat::mmap::posix_mapping_disk(),
        leat::segment::engine_settings(settings),
        {.file_bytes = pages * page_bytes,
         .ready = static_cast<std::size_t>(settings.integer("spare_segments")),
         .most_mapped = static_cast<std::size_t>(settings.integer("most_mapped"))});
}

}  // namespace

LEAT_PLUGIN("mmap", "1.0.0", [](leat::sdk::Registrar& host) {
    host.storage_engine(
        {.name = "mmap",
         .description = "Kafka's folders; segments prepared ahead, mapped and used again.",
         .options = options(),
         .capabilities =
             {.durable = true, .truncatable = true, .side_files = true, .rewritable = true},
         .make = &make});
});
