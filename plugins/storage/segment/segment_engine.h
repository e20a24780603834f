// The `segment` storage engine: Kafka's own folders and bytes. Its data folder looks like one of
// Kafka's `log.dirs`, and a partition's folder can be moved either way between stopped brokers.
#pragma once

#include <memory>

#include "engine_state.h"
#include "leat/sdk/plugin.h"

namespace leat::segment {

class SegmentEngine final : public sdk::StorageEngine {
public:
    // [worker] Reads the checkpoints, removes the clean marker and what deleted partitions left.
    static sdk::Result<std::unique_ptr<sdk::StorageEngine>> start(
        sdk::PluginContext& context, std::shared_ptr<FileSystem> system, EngineOptions options);

    explicit SegmentEngine(std::shared_ptr<EngineState> state) : state_{std::move(state)} {}

    sdk::Result<std::unique_ptr<sdk::Log>> open(const sdk::PartitionId& id,
                                                const sdk::LogOptions& options) override;
    sdk::Status remove(const sdk::PartitionId& id) override;
    sdk::Result<std::vector<sdk::PartitionId>> partitions() override;
    sdk::Status closed_cleanly() override;

private:
    // The id that the folder was made for, zero if it does not say.
    sdk::Result<sdk::Uuid> stored_topic_id(const std::string& name) const;
    // Moves the folder out of the way; durable when it returns. `suffix` is that of a deleted
    // partition or of a stray.
    sdk::Result<std::string> set_aside(const std::string& name, const sdk::Uuid& id,
                                       const char* suffix);
    sdk::Status remove_folder(const std::string& name);
    sdk::Result<bool> adopt(const sdk::PartitionId& id, const std::string& name);

    // Shared with work that a log handed to its reader, and that may run when the log is gone.
    const std::shared_ptr<EngineState> state_;
};

}  // namespace leat::segment
