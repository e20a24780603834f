// The log of one partition: extents in order, everything about them in memory, batches on disk.
//
// One mutex guards it: the worker's flush, truncate and trim run beside the shard's reads. It is
// held while batches are sealed and written into the page cache, never while a device is waited
// for but in truncate and trim.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "batch_cache.h"
#include "extent.h"
#include "partition_folder.h"

namespace sealed {

class SealedLog final : public leat::sdk::Log {
public:
    // Recovers what is in the folder. Errc::corrupt: what was synced is damaged, nothing changed.
    static leat::sdk::Result<std::unique_ptr<leat::sdk::Log>> open(
        std::shared_ptr<Shared> shared, std::shared_ptr<BatchCache> cache, const Path& home,
        const leat::sdk::PartitionId& id);

    SealedLog(std::shared_ptr<Shared> shared, std::shared_ptr<BatchCache> cache, const Path& home,
              const leat::sdk::PartitionId& id)
        : shared_{shared}, cache_{std::move(cache)}, folder_{shared->key, home, id} {}

    leat::sdk::LogBounds bounds() const override;
    std::vector<leat::sdk::Extent> extents() const override;
    leat::sdk::Status append(std::span<const leat::sdk::StampedBatch> batches) override;
    leat::sdk::Result<leat::sdk::ReadAnswer> read(Offset from, Offset below,
                                                  std::size_t max_bytes) override;
    std::optional<Offset> seek(Timestamp not_before) const override;
    leat::sdk::Status flush() override;
    leat::sdk::Status truncate(Offset end) override;
    leat::sdk::Status trim(Offset begin) override;
    leat::sdk::Status seal() override;
    leat::sdk::SideFiles* side_files() override { return &folder_; }

private:
    using ExtentPointer = std::shared_ptr<Extent>;

    leat::sdk::Status recover();
    leat::sdk::Status settle();
    leat::sdk::Status begin_extent(Offset base);
    leat::sdk::Task bring_in(std::vector<std::pair<ExtentPointer, Frame>> missing);
    void failed_to_bring_in(const ExtentPointer& extent, const Frame& frame,
                            const leat::sdk::Error& why);

    const std::shared_ptr<Shared> shared_;
    const std::shared_ptr<BatchCache> cache_;
    PartitionFolder folder_;
    mutable std::mutex mutex_;
    std::deque<ExtentPointer> extents_;
    std::optional<leat::sdk::Error> damage_;  // Found while a batch was brought in.
    bool new_file_ = false;                   // Its name was not synced.
    Offset begin_, end_, flushed_;
};

}  // namespace sealed
