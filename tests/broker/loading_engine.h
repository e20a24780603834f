// The segment engine over a simulated disk, for whoever reads what it answers: its file slices name
// descriptors that only that disk knows, so the bytes are read here and handed on as memory.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "leat/sdk/storage.h"
#include "tests/storage/simulated_disk.h"

namespace leat::broker::testing {

class LoadingLog final : public sdk::Log {
public:
    LoadingLog(std::unique_ptr<sdk::Log> log, std::shared_ptr<storage_test::SimulatedDisk> disk)
        : log_{std::move(log)}, disk_{std::move(disk)} {}

    sdk::LogBounds bounds() const override { return log_->bounds(); }
    std::vector<sdk::Extent> extents() const override { return log_->extents(); }
    sdk::Status append(std::span<const sdk::StampedBatch> batches) override {
        return log_->append(batches);
    }
    sdk::Result<sdk::ReadAnswer> read(sdk::Offset from, sdk::Offset below,
                                      std::size_t max_bytes) override {
        auto answer = log_->read(from, below, max_bytes);
        if (!answer) return answer;
        for (sdk::Slice& slice : answer->slices) {
            const auto* file = std::get_if<sdk::FileSlice>(&slice);
            if (file == nullptr) continue;
            auto bytes = std::make_shared<std::vector<std::byte>>(file->size);
            if (!disk_->read_all(file->descriptor, file->position, *bytes))
                return sdk::Error{sdk::Errc::io, "the disk is gone"};
            slice = sdk::MemorySlice{bytes, *bytes};
        }
        return answer;
    }
    std::optional<sdk::Offset> seek(sdk::Timestamp not_before) const override {
        return log_->seek(not_before);
    }
    sdk::Status flush() override { return log_->flush(); }
    sdk::Status truncate(sdk::Offset end) override { return log_->truncate(end); }
    sdk::Status trim(sdk::Offset begin) override { return log_->trim(begin); }
    sdk::Status seal() override { return log_->seal(); }
    sdk::SideFiles* side_files() override { return log_->side_files(); }
    sdk::RewritableLog* rewritable() override { return log_->rewritable(); }

private:
    std::unique_ptr<sdk::Log> log_;
    std::shared_ptr<storage_test::SimulatedDisk> disk_;
};

class LoadingEngine final : public sdk::StorageEngine {
public:
    LoadingEngine(std::unique_ptr<sdk::StorageEngine> engine,
                  std::shared_ptr<storage_test::SimulatedDisk> disk)
        : engine_{std::move(engine)}, disk_{std::move(disk)} {}

    sdk::Result<std::unique_ptr<sdk::Log>> open(const sdk::PartitionId& id,
                                                const sdk::LogOptions& options) override {
        auto log = engine_->open(id, options);
        if (!log) return log;
        return std::unique_ptr<sdk::Log>{std::make_unique<LoadingLog>(std::move(*log), disk_)};
    }
    sdk::Status remove(const sdk::PartitionId& id) override { return engine_->remove(id); }
    sdk::Result<std::vector<sdk::PartitionId>> partitions() override {
        return engine_->partitions();
    }
    sdk::Status closed_cleanly() override { return engine_->closed_cleanly(); }

private:
    std::unique_ptr<sdk::StorageEngine> engine_;
    std::shared_ptr<storage_test::SimulatedDisk> disk_;
};

}  // namespace leat::broker::testing
