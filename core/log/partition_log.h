// What is decided about one partition's log, whatever engine keeps it: is a batch accepted, which
// offset does it get, is it a duplicate, when does an extent end, what has to be written beside it.
//
// A machine: it does no I/O and belongs to the shard of its partition. The driver carries out:
//
//   for each batch that reached the partition in this turn of the loop
//       prepare()  ->  Prepared: collect its StampedBatch. With `seal_first`: first append what was
//                      collected before it, appended(n), Log::seal(), post seal_first->files to a
//                      worker.
//   Log::append(collected)  ->  appended(n), or append_failed(): then every batch that was prepared
//                      but not appended is as if it had never come, and its client gets a storage
//                      error.
//
// prepare() stamps the bytes where they are. What it accepted counts at once for the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/log/batch_validator.h"
#include "core/log/leader_epochs.h"
#include "core/log/producer_state.h"
#include "core/wire/record_batch.h"
#include "leat/sdk/storage.h"

namespace leat::log {

struct PartitionOptions {
    std::uint64_t segment_bytes = 1ull << 30;  // `segment.bytes`
    std::int64_t segment_ms = 604'800'000;     // `segment.ms`
    ProducerLimits producers{};
};

// From when the active extent's age is counted. As in Kafka (LogSegment.timeWaitedForRoll): what
// comes is held against the first batch, largest timestamps both, whatever the clock says; only if
// that batch has none (-1), the clock is held against when the extent was begun.
struct ExtentAge {
    Timestamp first_batch{-1};
    Timestamp begun{-1};  // Wall clock: at its seal or, after a restart, at the open.
};

struct SideFile {
    std::string name;
    std::vector<std::byte> bytes;
};

// Files to write through sdk::SideFiles, in this order: the leader epochs are durable before a
// snapshot makes recovery skip the batches from which they could be rebuilt.
struct SealPlan {
    Offset at;  // The next extent begins here.
    std::vector<SideFile> files;
};

struct Prepared {
    sdk::StampedBatch batch;
    Timestamp append_time{-1};  // For the answer: -1 with CreateTime.
    std::optional<SealPlan> seal_first{};
};

// Answered as the original was. Its caller waits for whatever the original waits for, up to `last`.
struct Duplicate {
    Offset base;
    Offset last;
    Timestamp append_time{-1};
};

using Outcome = std::variant<Prepared, Duplicate, AppendError>;

class PartitionLog {
public:
    explicit PartitionLog(PartitionOptions options)
        : options_{options}, producers_{options.producers} {}

    // The bounds and the active extent as the engine opened them, before anything is replayed.
    void open(const sdk::LogBounds& bounds, std::optional<sdk::Extent> active, ExtentAge age);
    // The topic's configs changed: rolls follow them from the next batch on. The limits of
    // producers stay.
    void change(const PartitionOptions& options) { options_ = options; }

    // A client's batch. `records` is null or the field of the Produce request. Needs a leader
    // epoch.
    Outcome prepare(std::optional<std::span<std::byte>> records, const BatchRules& rules,
                    Timestamp wall);
    // A batch that the broker itself made (coordinators, control batches): trusted, never a
    // duplicate.
    Outcome prepare_own(std::span<std::byte> batch, Timestamp wall);
    // A batch as a leader stamped it (a follower's append). Errc::corrupt if it does not belong
    // here.
    sdk::Result<Prepared> prepare_copy(std::span<const std::byte> batch, Timestamp wall);

    void appended(std::size_t batches);  // The oldest so many of those prepared.
    void append_failed();                // All others never happened.

    // Recovery: a batch that the log holds, in offset order; its epoch and producer are taken over,
    // the end is not moved.
    void replay(const wire::BatchView& batch, Timestamp wall);

    // This broker leads from now on, or leads under a new epoch; false if it led under that one or
    // a later one already. A log that knows later epochs (a folder that another cluster wrote)
    // forgets where those began: whoever says who leads is right.
    bool lead(LeaderEpoch epoch);

    // It is `now` on a clock that nobody sets, but which began as the wall clock at open: producers
    // age by it, and those that were silent for too long are forgotten. prepare()'s wall clock may
    // be set by days while a client waits to send again, and must not make it unknown.
    void let_producers_age(Timestamp now);

    // After Log::truncate, with what bounds() and extents() then say. Before the next append the
    // driver removes the stale_files() of the new bounds, or a later recovery would believe them.
    // recover() may follow: it alone brings back what the forgotten batches had displaced.
    void truncate(Offset end, std::optional<sdk::Extent> active, ExtentAge age);
    // Log::trim is to follow, or has been: nobody reads below `begin` any more. Nothing may be on
    // its way if the log is emptied by it. Producers stay: they age by time alone (KIP-360).
    void trim(Offset begin);

    // A clean stop: the files of this moment, so that the next start replays nothing.
    SealPlan checkpoint() const;
    // The first of those files alone: for a sync between two seals.
    SideFile epochs_file() const;

    Offset begin() const { return begin_; }
    Offset end() const { return end_; }                  // What is appended.
    Offset active_base() const { return active_.base; }  // Where the last seal was.
    Offset prepared_end() const { return next_; }        // With what is prepared.
    LeaderEpoch leader_epoch() const { return epoch_; }

    const LeaderEpochs& epochs() const { return epochs_; }
    LeaderEpochs& epochs() { return epochs_; }
    const ProducerState& producers() const { return producers_; }
    ProducerState& producers() { return producers_; }

private:
    struct ActiveExtent {
        Offset base{0};
        std::uint64_t bytes = 0;
        ExtentAge age{};
    };
    struct Undo {
        Offset next;
        ActiveExtent active;
        bool epoch_added = false;
    };

    bool must_seal(const wire::BatchView& batch, Timestamp wall) const;
    bool old_enough(Timestamp coming, Timestamp wall) const;
    SealPlan seal_plan() const;
    std::optional<AppendError> too_large(std::size_t bytes) const;
    Prepared accept(const wire::BatchView& batch, Timestamp append_time, Timestamp wall);

    PartitionOptions options_;
    Offset begin_{0};
    Offset end_{0};
    Offset next_{0};
    LeaderEpoch epoch_{-1};
    ActiveExtent active_;
    LeaderEpochs epochs_;
    ProducerState producers_;
    std::optional<Timestamp> producers_now_;  // Absent: they age by the wall clock.
    std::vector<Undo> undo_;  // One for each batch that is prepared and not appended, oldest first.
};

}  // namespace leat::log
