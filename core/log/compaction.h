// What compaction of a keyed topic decides (`cleanup.policy=compact`), as Kafka's LogCleaner and
// LogCleanerManager do. Machines: no I/O, one thread at a time; the driver is
// core/broker/partition_compaction.cc.
//
//   plan       what is dirty: above what the last pass has seen, below the extent that is being
//              written, the high watermark and what is too young; and whether that is worth a pass
//   map        the newest offset of each key in the dirty part, as far as the map has room
//   rewrite    everything below what was mapped: a record stays if there is none of its key
//              above it. One without value (a tombstone) stays until its batch's delete horizon,
//              which is set when a pass first sees it: delete.retention.ms from then (KIP-534:
//              attribute bit 6, the horizon in place of the base timestamp)
//   note       up to where was mapped: there the next plan begins
//
// What stays of batches: those of which nothing goes, byte for byte. One that loses records keeps
// offsets, sequences, producer, codec. One that loses all of them goes, unless it is the last one
// of its producer (so that it is known after a restart) or of what is rewritten (so that no offset
// is lost): then its header stays. Control batches and those of transactions stay as they are, and
// what is in them hides nothing: whether it counts is not known here.
//
// Other than in Kafka:
// * A horizon is set for batches below what was mapped alone. Kafka may set one above, which is
//   counted from before the older records of the key have gone.
// * A batch that costs more to open than the bounds allow stays as it is and hides nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/compression/codec.h"
#include "core/log/key_map.h"
#include "core/wire/record_batch.h"
#include "leat/sdk/result.h"
#include "leat/sdk/storage.h"

namespace leat::log {

using sdk::Offset;
using sdk::Timestamp;

// By the topic's configs.
struct CompactionRules {
    bool compacts = false;  // cleanup.policy has "compact".
    double min_dirty_ratio = 0.5;
    std::int64_t delete_retention_ms = 86'400'000;
    std::int64_t min_lag_ms = 0;
    std::int64_t max_lag_ms = INT64_MAX;
    std::uint64_t segment_bytes = 1u << 30;  // Extents are joined up to it.

    bool operator==(const CompactionRules&) const = default;
};

struct CompactableLog {
    std::span<const sdk::Extent> extents;  // Oldest first.
    Offset begin;
    Offset active;   // Where the extent begins that is being written.
    Offset stable;   // What lies at or above it may be undone: the high watermark, a transaction.
    Offset cleaned;  // Up to where the last pass has seen; below `begin` if none has.
};

struct CompactionPlan {
    Offset first_dirty;
    Offset end;  // Of what may be looked at. Not above first_dirty: nothing is dirty.
    std::uint64_t clean_bytes = 0;
    std::uint64_t dirty_bytes = 0;

    double dirty_ratio() const;
};
// `now` is a RetentionClock's.
CompactionPlan plan_compaction(const CompactionRules& rules, const CompactableLog& log,
                               Timestamp now);
// Whether it is worth a pass, or due: the first dirty batch is older than max.compaction.lag.ms.
bool is_worth_it(const CompactionPlan& plan, const CompactionRules& rules);
bool is_overdue(Timestamp first_dirty_batch, const CompactionRules& rules, Timestamp now);

// Neighbours that become one.
struct ExtentGroup {
    Offset begin;
    Offset end;
    std::size_t extents = 0;
    std::uint64_t bytes = 0;
};
// Of the extents below `mapped`, those of which a part lies above included, but never the active
// one. `joined`: up to the rules' segment_bytes, else each for itself.
std::vector<ExtentGroup> groups_to_rewrite(const CompactionRules& rules, const CompactableLog& log,
                                           Offset mapped, bool joined);

// Puts the records of a batch at and above `from` into the map. False when that is full; then
// `mapped` is where the next pass goes on, else the next batch. Errc::corrupt if it is no batch.
sdk::Result<bool> map_keys(KeyMap& map, const wire::BatchView& batch, Offset from, Offset& mapped,
                           const compression::Bounds& bounds = {});

// What is left of one batch.
struct Remains {
    enum class What { as_it_was, changed, nothing };
    What what = What::as_it_was;
    std::vector<std::byte> bytes{};  // If it changed.
    Timestamp max_timestamp{-1};     // Likewise.
    std::int64_t records_dropped = 0;
};

class BatchCompactor {
public:
    struct Horizon {
        Timestamp now;
        std::int64_t delete_retention_ms;
    };
    // The map as filled up to `mapped`, borrowed. `producers_last`: the last offset of each
    // producer's newest batch, in any order.
    BatchCompactor(const KeyMap& map, Offset mapped, Horizon horizon,
                   std::vector<Offset> producers_last, compression::Bounds bounds = {});

    // `end`: of the group that the batch is in.
    sdk::Result<Remains> compact(const wire::BatchView& batch, Offset end) const;

private:
    struct Walked;

    bool stays(const wire::BatchView& batch, Offset offset,
               const std::optional<std::span<const std::byte>>& key, bool has_value) const;
    bool stays_empty(const wire::BatchView& batch, Offset end) const;
    sdk::Result<Walked> walk(const wire::BatchView& batch,
                             std::span<const std::byte> records) const;
    sdk::Result<Remains> rewritten(const wire::BatchView& batch, const Walked& walked) const;

    const KeyMap& map_;
    const Offset mapped_;
    const Horizon horizon_;
    std::vector<Offset> producers_last_;
    const compression::Bounds bounds_;
};

// The file that remembers up to where: "0\n<offset>\n".
inline constexpr const char* cleaner_checkpoint_name = "cleaner-offset-checkpoint";
std::vector<std::byte> encode_cleaner_checkpoint(Offset cleaned);
std::optional<Offset> decode_cleaner_checkpoint(std::span<const std::byte> file);

}  // namespace leat::log
