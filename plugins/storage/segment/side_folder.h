// A partition's folder: made on first use, with `partition.metadata` in it, and the core's small
// files beside the segments.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/storage.h"
#include "engine_state.h"

namespace leat::segment {

class SideFolder final : public sdk::SideFiles {
public:
    SideFolder(EngineState& engine, std::string name, const sdk::Uuid& topic_id, bool exists)
        : engine_{engine}, name_{std::move(name)}, topic_id_{topic_id}, exists_{exists} {}

    const std::string& name() const { return name_; }
    std::string path() const { return engine_.path_of(name_); }
    std::string path(std::string_view file) const { return path() + "/" + std::string{file}; }

    // [shard] or [worker]. Makes the folder if it is not there; not durable before sync_new().
    sdk::Status make();
    // [worker] Makes durable what make() made since the last call.
    sdk::Status sync_new();

    sdk::Status write(std::string_view name, std::span<const std::byte> bytes) override;
    sdk::Result<std::vector<std::byte>> read(std::string_view name) override;
    sdk::Status remove(std::string_view name) override;
    sdk::Result<std::vector<std::string>> list() override;

private:
    EngineState& engine_;
    const std::string name_;
    const sdk::Uuid topic_id_;
    std::atomic<bool> exists_;
    bool unsynced_ = false;  // Guarded by mutex_.
    // The shard's first append and a worker's side file may both be the first to need the folder.
    std::mutex mutex_;
};

}  // namespace leat::segment
