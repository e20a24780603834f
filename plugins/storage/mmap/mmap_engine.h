// The `mmap` storage engine: the folders and files of `segment`, with appends that are stores into
// a mapping of a file prepared for them, and syncs that overwrite blocks which are there already.
//
// What is different: a segment ends when its prepared file is full, whatever the topic says beyond
// that; a log that is opened goes on in a new segment; after a crash the last segments end in
// zeros, which recovery cuts off.
#pragma once

#include <memory>

#include "engine_state.h"
#include "leat/sdk/plugin.h"
#include "mapped_files.h"
#include "segment_engine.h"
#include "spares.h"

namespace leat::mmap {

class MmapEngine final : public sdk::StorageEngine {
public:
    // [worker] Its limit of bytes for a segment is that of the spares.
    static sdk::Result<std::unique_ptr<sdk::StorageEngine>> start(
        sdk::PluginContext& context, std::shared_ptr<segment::FileSystem> files,
        std::shared_ptr<MappingDisk> disk, segment::EngineOptions options, SpareOptions spares);

    MmapEngine(std::shared_ptr<Spares> spares, std::unique_ptr<sdk::StorageEngine> files)
        : spares_{std::move(spares)}, files_{std::move(files)} {}
    ~MmapEngine() override;

    sdk::Result<std::unique_ptr<sdk::Log>> open(const sdk::PartitionId& id,
                                                const sdk::LogOptions& options) override;
    sdk::Status remove(const sdk::PartitionId& id) override { return files_->remove(id); }
    sdk::Result<std::vector<sdk::PartitionId>> partitions() override {
        return files_->partitions();
    }
    sdk::Status closed_cleanly() override;

private:
    const std::shared_ptr<Spares> spares_;
    std::unique_ptr<sdk::StorageEngine> files_;
};

}  // namespace leat::mmap
