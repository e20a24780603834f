// What an engine lends to its logs, and the names of files and folders.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "checkpoints.h"
#include "leat/sdk/plugin_context.h"
#include "leat/sdk/settings.h"
#include "leat/sdk/storage.h"
#include "open_files.h"
#include "segment.h"

namespace leat::segment {

struct EngineOptions {
    std::size_t most_open_files = 1000;     // Kept for readers.
    std::size_t most_active_files = 10000;  // Kept for appends.
    std::uint64_t index_step = 32 * 1024;
    std::uint64_t writeback_bytes = 8 * 1024 * 1024;  // 0: leave it to the kernel.
    sdk::Instant checkpoint_interval = std::chrono::seconds{60};
    // A segment that would grow over it ends, unless it is empty. The core's limit is another one.
    std::uint64_t most_segment_bytes = Segment::most_bytes;
    // Files are longer than what was written to them, by zeros: after a crash those are no damage.
    bool preallocates = false;
};

struct EngineState : std::enable_shared_from_this<EngineState> {
    EngineState(sdk::PluginContext& its_context, std::shared_ptr<FileSystem> its_system,
                std::string its_root, EngineOptions its_options)
        : context{its_context},
          system{std::move(its_system)},
          root{std::move(its_root)},
          options{its_options},
          files{system, options.most_open_files, options.most_active_files},
          checkpoints{*system, root} {}

    sdk::PluginContext& context;
    const std::shared_ptr<FileSystem> system;
    const std::string root;
    const EngineOptions options;
    OpenFiles files;
    Checkpoints checkpoints;

    // Partition folders that are there: an empty partition has none, and opening it costs no call.
    std::mutex folders_mutex;
    std::set<std::string, std::less<>> folders;
    std::uint64_t last_key = 0;  // Guarded by folders_mutex.

    // Held while a folder of that name gets another owner: a late removal of an earlier topic's and
    // the opening of the one that was made since may come at the same time, on two workers.
    std::array<std::mutex, 64> owner_mutexes;
    std::mutex& owner_mutex(std::string_view name) {
        return owner_mutexes[std::hash<std::string_view>{}(name) % owner_mutexes.size()];
    }

    bool has_folder(std::string_view name) {
        const std::lock_guard lock{folders_mutex};
        return folders.contains(name);
    }
    std::uint64_t next_key() {
        const std::lock_guard lock{folders_mutex};
        return ++last_key;
    }
    std::string path_of(std::string_view name) const { return root + "/" + std::string{name}; }
};

inline std::string folder_name(const sdk::PartitionId& id) {
    return id.topic + "-" + std::to_string(id.index);
}

}  // namespace leat::segment
