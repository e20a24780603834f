#include "engine_settings.h"

#include <sys/resource.h>

#include <algorithm>

namespace leat::segment {
namespace {

using sdk::OptionKind;

constexpr std::int64_t mib = 1024 * 1024;

std::size_t quarter_of_descriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    return std::max<std::size_t>(1, limit.rlim_cur / 4);
}

}  // namespace

std::vector<sdk::Option> engine_options() {
    return {{.name = "most_open_files",
             .kind = OptionKind::integer,
             .fallback = std::int64_t{1000},
             .description =
                 "Files kept open for readers, at most a quarter of RLIMIT_NOFILE; beside them one "
                 "for each active log, within another quarter.",
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
             .most = 86'400'000}};
}

EngineOptions engine_settings(const sdk::Settings& settings) {
    const std::size_t share = quarter_of_descriptors();
    return {.most_open_files =
                std::min(static_cast<std::size_t>(settings.integer("most_open_files")), share),
            .most_active_files = share,
            .index_step = settings.bytes("index_step"),
            .writeback_bytes = settings.bytes("writeback"),
            .checkpoint_interval = settings.duration("checkpoint_interval")};
}

}  // namespace leat::segment
