// The log of one partition in Kafka's files.
//
// Threads: the shard is the only one that appends, seals and reads; truncate and trim run on a
// worker beside reads, flush beside everything but seal, truncate and trim. `mutex_` guards what
// they share and is never held over a call that waits for a device:
//   append    writes first (only it and truncate move the end), then publishes under the mutex;
//   read      holds it, for its reads of headers are of resident pages only;
//   flush     copies under it what is to be synced, syncs without it, then raises flushed_;
//   truncate, trim   change the memory under it first, so that no reader is sent to what goes;
//   rewrite   is written beside all that; its commit() is as truncate and trim.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine_state.h"
#include "leat/sdk/storage.h"
#include "recovery.h"
#include "segment.h"
#include "side_folder.h"
#include "walk.h"

namespace leat::segment {

class SegmentLog final : public sdk::Log, public sdk::RewritableLog {
public:
    SegmentLog(EngineState& engine, const sdk::PartitionId& id, std::uint64_t step, bool exists,
               Recovered found);
    ~SegmentLog() override;

    sdk::LogBounds bounds() const override;
    std::vector<sdk::Extent> extents() const override;
    sdk::Status append(std::span<const sdk::StampedBatch> batches) override;
    sdk::Result<sdk::ReadAnswer> read(sdk::Offset from, sdk::Offset below,
                                      std::size_t max_bytes) override;
    std::optional<sdk::Offset> seek(sdk::Timestamp not_before) const override;
    sdk::Status flush() override;
    sdk::Status truncate(sdk::Offset end) override;
    sdk::Status trim(sdk::Offset begin) override;
    sdk::Status seal() override;
    sdk::SideFiles* side_files() override { return &folder_; }
    sdk::RewritableLog* rewritable() override { return this; }
    sdk::Result<std::unique_ptr<sdk::Rewrite>> rewrite(sdk::Offset begin, sdk::Offset end) override;
    void options_changed(const sdk::LogOptions& options) override;

private:
    // What only a log that is written or read needs, so that an idle one stays small.
    struct Recent {
        struct Place {
            std::int64_t base;
            std::int64_t next;
            std::uint64_t position;
        };
        struct Hint {  // Where a reader will go on.
            std::uint64_t key = 0;
            std::int64_t offset = -1;
            std::uint64_t position = 0;
        };
        static constexpr std::size_t most_places = 64;

        std::vector<Place> tail;  // The last batches of the last segment: read without a call.
        sdk::Instant last_append{};
        std::array<Hint, 4> hints{};
        std::size_t next_hint = 0;
    };
    // Where the batches that a read asks for lie in one segment.
    struct Range {
        enum class Kind { found, would_wait, failed };
        Kind kind = Kind::found;
        FilePointer file;  // Null: would wait for being opened.
        std::uint64_t start = 0;
        std::uint64_t end = 0;  // Equal to start if nothing fits.
        bool is_tail = false;   // So fresh that it is in the page cache for certain.
        sdk::Error error{};
    };
    struct Wanted {
        std::int64_t from;
        std::int64_t below;
        std::uint64_t bytes;
        bool first;  // One batch is wanted however large it is.
    };
    struct SyncPlan;

    std::string path(const Segment& segment, const char* extension) const {
        return folder_.path(segment_file(segment.base, extension));
    }
    sdk::Error refused() const;

    // segment_log.cc
    sdk::Result<FilePointer> file_to_append(std::int64_t first, std::int64_t next,
                                            std::uint64_t bytes);
    sdk::Result<FilePointer> begin_segment(std::int64_t first, std::int64_t next,
                                           std::uint64_t bytes);
    sdk::Status write(const OpenFile& file, std::uint64_t at,
                      std::span<const sdk::StampedBatch> batches);
    void publish(std::span<const sdk::StampedBatch> batches);
    void start_writeback(const FilePointer& file);
    Recent& recent();

    // segment_read.cc
    std::size_t segment_of(std::int64_t offset) const;
    Range locate(const Segment& segment, const Wanted& wanted);
    bool locate_in_tail(const Segment& segment, const Wanted& wanted, Range& range) const;
    void locate_by_index(const Segment& segment, const Wanted& wanted, Range& range);
    bool walk_to(Window& window, const Segment& segment, const Wanted& wanted, Range& range);
    std::uint64_t walk_start(const Segment& segment, std::int64_t from) const;
    void remember(const Segment& segment, std::int64_t offset, std::uint64_t position);
    sdk::Task bring_in(const Segment& segment, const Wanted& wanted, const Range& range);

    // segment_cut.cc
    SyncPlan make_sync_plan();
    sdk::Status sync(SyncPlan& plan);
    enum class Durable { yes, no };
    bool write_index(const Segment& segment, Durable durable);
    struct Cut;
    sdk::Result<Cut> find_cut(std::int64_t end);
    sdk::Status apply_cut(const Cut& cut, const std::vector<Segment>& dropped);
    sdk::Status fail(sdk::Error error);

    // segment_rewrite.cc
    class Rewriting;
    bool holds(const std::vector<std::uint64_t>& keys, std::int64_t begin, std::int64_t end) const;
    sdk::Status replace(const Segment& made, const std::vector<std::uint64_t>& old_keys,
                        const FilePointer& file);
    sdk::Status rename_durably(const std::string& from, const std::string& to);

    EngineState& engine_;
    SideFolder folder_;
    std::atomic<std::uint64_t> step_;  // Bytes between two entries of the index, from now on.
    std::uint64_t widest_step_;        // And so far.

    mutable std::mutex mutex_;
    std::vector<Segment> segments_;  // In order; only the last may be empty.
    // Of the last segment, once it was appended to. Dead if the descriptor was needed elsewhere.
    std::weak_ptr<OpenFile> active_;
    std::unique_ptr<Recent> recent_;
    std::int64_t begin_ = 0;
    std::int64_t end_ = 0;
    std::int64_t flushed_ = 0;
    std::uint64_t not_written_back_ = 0;
    bool sealed_ = false;           // The last segment takes no more.
    bool folder_unsynced_ = false;  // A file was made since the folder was synced.
    std::atomic<bool> rewriting_{false};
    std::atomic<bool> failed_{false};  // For ever: see flush() in the interface.
};

}  // namespace leat::segment
