// One partition that this broker leads, on the shard that owns it: the driver around an engine's
// Log (bytes), log::PartitionLog (offsets, producers, epochs) and a replication policy (high
// watermark). It carries out; the rules are in those three and in FlushSchedule.
//
// Life       made on first use -> opening (worker) -> open -> closing -> closed; or offline, after
//            an error of its engine, until the broker restarts. What was acknowledged before that
//            is still synced as promised, unless it was a sync that failed.
// Threads    [shard] throughout. Work that may wait for a device is offloaded; the object must live
//            until idle() says that nothing is under way any more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/broker/compaction_pass.h"
#include "core/broker/flush_schedule.h"
#include "core/broker/open_logs.h"
#include "core/broker/partition_key.h"
#include "core/broker/shard_figures.h"
#include "core/broker/waiters.h"
#include "core/log/partition_log.h"
#include "core/log/retention.h"
#include "core/log/time_lookup.h"
#include "core/logging/logger.h"
#include "core/wire/error_code.h"
#include "leat/sdk/replication.h"
#include "leat/sdk/shard.h"
#include "leat/sdk/storage.h"

namespace leat::broker {

// What a partition is made from: its topic's record in the cluster image, and plugin instances.
struct PartitionSetup {
    sdk::PartitionId id;
    sdk::NodeId self;
    sdk::PartitionState state;
    std::string engine_name;
    sdk::StorageEngine* engine = nullptr;
    std::string policy_name;
    const sdk::ReplicationPolicy* policy = nullptr;
    sdk::LogOptions storage;
    log::PartitionOptions log;
    log::BatchRules rules;
    FlushPromise flush;
    log::RetentionLimits retention{};
    log::CompactionRules compaction{};
    std::int32_t min_in_sync = 1;
    // Hears the highest producer id that the log holds, once it is open. May be empty.
    std::function<void(std::int64_t)> found_producer_id{};
};

struct AppendRequest {
    std::shared_ptr<void> owner;  // Keeps `records` alive.
    std::optional<std::span<std::byte>> records;
    bool wait_for_commit = false;  // acks=all
    bool acknowledged = true;      // acks != 0: it also waits for the sync where that is promised.
    bool zstd = true;              // The client's version of Produce knows zstd.
};
struct AppendOutcome {
    wire::ErrorCode error = wire::ErrorCode::none;
    sdk::Offset base{-1};
    sdk::Timestamp append_time{-1};  // Set where the topic stamps LogAppendTime.
    sdk::Offset log_start{-1};
    std::vector<log::RecordError> record_errors{};
    std::string message{};
};

struct ReadRequest {
    sdk::Offset from;
    std::size_t max_bytes = 0;
    sdk::LeaderEpoch current_epoch{-1};       // What the client thinks (KIP-320); -1: nothing.
    sdk::LeaderEpoch last_fetched_epoch{-1};  // Of the record before `from`; -1: it does not say.
    bool first_whole = true;  // The first batch comes even if it is larger than max_bytes (KIP-74).
    std::size_t counted = 0;  // Of its bytes: an earlier look for the same answer counted them.
};
struct ReadOutcome {
    wire::ErrorCode error = wire::ErrorCode::none;
    sdk::Offset high_watermark{-1};
    sdk::Offset last_stable{-1};
    sdk::Offset log_start{-1};
    std::optional<log::EpochEnd> diverging{};
    std::vector<sdk::Slice> slices{};
    std::size_t bytes = 0;
};

struct TimeLookup {
    wire::ErrorCode error = wire::ErrorCode::none;
    std::optional<log::TimedRecord> found{};
    sdk::LeaderEpoch epoch{-1};  // Of the record that was found.
};

struct DeletedRecords {
    wire::ErrorCode error = wire::ErrorCode::none;
    sdk::Offset log_start{-1};  // The low watermark, of one replica.
};

class Partition {
public:
    enum class State { opening, open, offline, closing, closed };

    // `open_logs` is the broker's, all shards'; `figures` are the shard's. Both outlive it.
    Partition(PartitionSetup setup, sdk::Shard& shard, OpenLogs& open_logs, logging::Logger& logger,
              ShardFigures& figures);
    ~Partition();

    State state() const { return state_; }
    const PartitionSetup& setup() const { return setup_; }
    const Traffic& traffic() const { return traffic_; }  // Since it was opened.

    // Calls `ready` once it is no longer opening; at once if it is not.
    void when_opened(sdk::Task ready);

    void append(AppendRequest request, sdk::Function<void(AppendOutcome)> done);

    // Nothing: not now, and `retry` is called when asking again makes sense. Never a wrong error
    // while it opens: a client that is told OFFSET_OUT_OF_RANGE resets its position.
    std::optional<ReadOutcome> read(const ReadRequest& request, sdk::Task retry);

    // The waiter is told later, never within this call: of a high watermark above `seen`, another
    // log start or leader epoch, or a partition that is no longer open.
    void wait_above(sdk::Offset seen, FetchWaiters::Id id, FetchWaiters::Runs where,
                    sdk::Task advanced);
    void forget(FetchWaiters::Id id) { fetch_waiters_.forget(id); }

    // Only when open.
    log::EpochEnd end_offset_for(sdk::LeaderEpoch epoch) const;
    sdk::Offset log_start();
    sdk::Offset high_watermark() const { return high_watermark_; }
    sdk::LeaderEpoch epoch_at(sdk::Offset offset) const { return log_.epochs().epoch_at(offset); }
    sdk::LeaderEpoch leader_epoch() const { return setup_.state.leader_epoch; }
    // FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH if the client's view is older or newer (KIP-320).
    wire::ErrorCode check_epoch(sdk::LeaderEpoch current) const;

    // The first record not older than `target` below the high watermark, or with `newest` the first
    // of those with the largest timestamp.
    void find_by_time(sdk::Timestamp target, sdk::Function<void(TimeLookup)> done);
    void find_newest(sdk::Function<void(TimeLookup)> done);

    // What lies below `below` goes (DeleteRecords), durably when `done` hears; -1: all below the
    // high watermark. OFFSET_OUT_OF_RANGE above that, POLICY_VIOLATION where cleanup.policy is
    // without "delete". Reads that are under way finish.
    void delete_records(sdk::Offset below, sdk::Function<void(DeletedRecords)> done);
    // Lets go what retention.ms and retention.bytes do not keep; `now` is a RetentionClock's.
    void retain(sdk::Timestamp now);
    // One pass over a keyed topic's log, if it is worth one at `now`, a RetentionClock's. What
    // nobody has synced is synced first. `done` hears when it has ended, within this call if there
    // is none to be, and whether another one should follow at once.
    void compact(sdk::Timestamp now, const CompactionTerms& terms, sdk::Function<void(bool)> done);
    // Of all extents, a partly trimmed one included. Nothing: it has just gone offline.
    std::optional<std::uint64_t> stored_bytes();
    const log::ProducerState& producers() const { return log_.producers(); }

    // Configs or leadership changed in the topic's record.
    void change(PartitionSetup setup);

    // Fails what waits with `error`, then syncs (unless `discard`), writes the side files and
    // destroys the log. `done` hears if all of it ended well.
    void close(wire::ErrorCode error, bool discard, sdk::Function<void(bool)> done);

private:
    // Accepted, and on its way into the log or (a duplicate) into an answer.
    struct Pending {
        std::shared_ptr<void> owner;
        std::optional<sdk::StampedBatch> batch{};  // Absent for a duplicate.
        std::optional<log::SealPlan> seal_first{};
        sdk::Offset end{};
        AppendOutcome outcome{};
        bool wait_for_commit = false;
        bool acknowledged = true;
        sdk::Function<void(AppendOutcome)> done;
    };
    struct Opened;
    struct Lookup;
    struct Trim {
        sdk::Offset begin;
        bool files_written = false;  // Those that recovery needs if it begins at `begin`.
        std::vector<sdk::Function<void(wire::ErrorCode)>> then;
    };
    // Work on the log that nothing but reads may run beside.
    struct Alone {
        sdk::Function<sdk::Status()> work;  // [worker]
        sdk::Function<void(const sdk::Status&)> then;
    };
    struct Looked {
        bool said = false;
        sdk::Function<sdk::Result<bool>(CompactionPass&)> look{};  // Not yet: it had to be brought.
    };
    struct SideWrite {
        std::vector<log::SideFile> files;  // The leader epochs first; may be all.
        log::LeaderEpochs epochs;          // As `files` have them.
        std::vector<sdk::Task> then;
    };

    void open();
    static sdk::Status recover(Opened& opened, sdk::Timestamp wall);
    void opened(sdk::Result<std::unique_ptr<Opened>> result);
    void go_offline(std::string_view doing, const sdk::Error& error);
    void tell_opened();
    wire::ErrorCode why_not_open() const;
    void fail_pending(wire::ErrorCode error, const std::string& message);

    sdk::Timestamp producers_clock() const;
    void append_now(AppendRequest request, sdk::Function<void(AppendOutcome)> done);
    void post_turn_end();
    void write_pending();
    sdk::Status write(std::size_t first, std::size_t last);
    sdk::Status seal(log::SealPlan plan);
    sdk::Result<sdk::LogBounds> engine_bounds();
    bool follow_beginning();
    void begin_at(sdk::Offset begin);
    void tell_fetches_later();
    void written(Pending& pending);
    void update_high_watermark();
    void bring_in(sdk::Task what_is_missing, sdk::Task retry);

    bool tell_engine_options();
    void consider_flush();
    void flush();
    void flush_log();
    struct Synced {
        sdk::Status status;
        std::chrono::nanoseconds took;
    };
    void flushed(const Synced& synced);
    bool epochs_are_stored() const;
    void store_epochs(sdk::Task then);
    void write_side_files(std::vector<log::SideFile> files, sdk::Task then);
    void begin_side_write();
    void side_files_written(const sdk::Status& status);

    std::optional<std::vector<sdk::Extent>> extents();
    void want_trim(sdk::Offset begin, sdk::Function<void(wire::ErrorCode)> then);
    void consider_trim();
    void begin_trim();
    void trimmed(Trim trim, const sdk::Status& status);
    void fail_wanted_trim(wire::ErrorCode error);
    void want_alone(sdk::Function<sdk::Status()> work,
                    sdk::Function<void(const sdk::Status&)> then);
    void begin_alone();
    void alone_no_more();

    log::CompactableLog compactable(std::span<const sdk::Extent> kept) const;
    bool can_be_compacted();
    void compact_once_synced(sdk::Offset end, sdk::Timestamp now, const CompactionTerms& terms,
                             sdk::Function<void(bool)> done);
    void compact_what_is_synced();
    void begin_compaction(const log::CompactionPlan& plan, sdk::Timestamp now,
                          const CompactionTerms& terms, sdk::Function<void(bool)> done);
    bool goes_on() const;
    void look_if_overdue();
    void load_chunk(std::size_t bytes, sdk::Function<sdk::Result<bool>(CompactionPass&)> look,
                    sdk::Function<void(bool)> then);
    void read_to_compact();
    void hurry_compaction();
    void begin_rewriting();
    void rewrite_one_by_one();
    void with_rewrite(sdk::Function<sdk::Status(CompactionPass&)> work, sdk::Task then);
    void begin_group();
    void finish_group();
    void swapped(const sdk::Status& status);
    void group_is_done();
    void note_cleaned();
    void compaction_failed(const sdk::Error& error);
    void give_up_compaction(const std::string& reason);
    void end_compaction(bool again);

    void look_up(std::shared_ptr<Lookup> lookup);
    void work_began() { ++under_way_; }
    void work_ended();
    void finish_close();
    void closed();

    PartitionSetup setup_;
    sdk::Shard& shard_;
    OpenLogs& open_logs_;
    const std::string log_name_;  // In open_logs_.
    logging::Logger& logger_;
    StorageFigures& figures_;
    metrics::PluginCalls& policy_calls_;
    Traffic traffic_;
    State state_ = State::opening;
    std::vector<sdk::Task> until_opened_;

    std::unique_ptr<sdk::Log> engine_log_;
    log::PartitionLog log_;
    FlushSchedule flush_schedule_;
    sdk::TimerId flush_timer_ = sdk::TimerId::none;
    sdk::Instant opened_at_{0};
    sdk::Timestamp opened_wall_{0};
    sdk::LeaderView view_;  // Kept, so that asking the policy allocates nothing.
    sdk::Offset high_watermark_{0};

    std::vector<Pending> pending_;
    std::vector<Pending> spare_;              // Empty: the memory for the next ones.
    std::vector<sdk::StampedBatch> batches_;  // Of write(), empty before and after it.
    bool turn_end_posted_ = false;
    CommitWaiters commit_waiters_;
    FetchWaiters fetch_waiters_;

    std::size_t under_way_ = 0;  // Offloaded tasks and posted ones that hold `this`.
    bool healthy_ = true;
    bool sync_failed_ = false;  // Never tried again (fsyncgate).
    bool discard_ = false;
    bool writing_side_files_ = false;
    SideWrite side_write_;                            // Under way.
    SideWrite next_side_write_;                       // The newest that came meanwhile.
    std::optional<log::LeaderEpochs> stored_epochs_;  // Absent: the engine keeps no side files.
    log::Retention retention_;
    std::optional<Trim> wanted_trim_;
    std::optional<Alone> wanted_alone_;
    struct OnceSynced {
        sdk::Offset end;
        sdk::Task then;
    };
    std::optional<OnceSynced> compaction_once_synced_;
    std::shared_ptr<CompactionPass> compaction_;  // Under way.
    sdk::Offset cleaned_{-1};                     // Up to where the last one has looked.
    bool uncleanable_ = false;
    bool syncing_ = false;  // From its checkpoint of epochs on.
    // By a trim, or other work that is to be alone: nothing is appended, synced or written beside
    // the log meanwhile.
    bool trimming_ = false;
    std::vector<sdk::Task> until_trimmed_;
    sdk::Function<void(bool)> close_done_;
};

}  // namespace leat::broker
