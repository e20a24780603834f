// How much of a log is kept: retention.ms, retention.bytes. Machines: no I/O, one thread.
//
// Retention decides as Kafka does (UnifiedLog.deleteOldSegments): whole extents go, oldest first,
// none that reaches above the high watermark; first while what is left is at least retention.bytes,
// then while the largest timestamp in the extent is older than retention.ms. The last extent goes
// like any other: the log then begins, empty, at its end.
//
// Two things are other than in Kafka:
// * An extent whose largest timestamp lies in the future, or that has none, would stay for ever, or
//   as long as its file's date says. Here it has the age since it was first seen to be complete. A
//   restart begins to count anew; so it goes also when the extent behind it is too old and it was
//   seen for retention.ms or a day, whichever is less.
// * RetentionClock: a wall clock that jumps deletes nothing early.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leat/sdk/shard.h"
#include "leat/sdk/storage.h"

namespace leat::log {

using sdk::Offset;
using sdk::Timestamp;

struct RetentionLimits {
    bool deletes = true;      // cleanup.policy has "delete".
    std::int64_t ms = -1;     // `retention.ms`; below 0: no limit.
    std::int64_t bytes = -1;  // `retention.bytes`; below 0: no limit.

    bool limited() const { return deletes && (ms >= 0 || bytes >= 0); }
    bool operator==(const RetentionLimits&) const = default;
};

struct RetainedLog {
    std::span<const sdk::Extent> extents;  // Oldest first.
    Offset begin;
    Offset high_watermark;
};

// Of one partition.
class Retention {
public:
    // Where the log is to begin, at `now` by a RetentionClock; `log.begin` if nothing is to go.
    Offset trim_point(const RetentionLimits& limits, const RetainedLog& log, Timestamp now);

private:
    // Since when an extent without a usable timestamp has not changed.
    struct Seen {
        Offset base;
        Offset next;
        Timestamp at;
    };

    void look(const RetainedLog& log, Timestamp now);
    bool too_old(std::span<const sdk::Extent> from, std::int64_t ms, Timestamp now) const;

    std::vector<Seen> seen_;  // In order of base; of the extents that were there at the last look.
};

// The wall clock as far as retention believes it. A jump of more than `tolerance` against the
// steady clock, either way, is believed when the wall clock has stood by it for as long as the jump
// is large, or for `most_doubt`: who set a clock wrong has a day to set it right before a record is
// deleted for it. Until then the earlier of the two times holds. The first reading is believed.
class RetentionClock {
public:
    static constexpr std::chrono::milliseconds tolerance{std::chrono::minutes{1}};
    static constexpr std::chrono::milliseconds most_doubt{std::chrono::hours{24}};

    struct Reading {
        Timestamp time;                            // To decide by.
        std::optional<std::int64_t> jumped_by_ms;  // A jump that is new: worth a line.
    };
    Reading read(Timestamp wall, sdk::Instant now);

private:
    struct Doubt {
        Timestamp wall;
        sdk::Instant since;
    };

    std::optional<Timestamp> believed_;
    sdk::Instant believed_at_{0};
    std::optional<Doubt> doubt_;
};

}  // namespace leat::log
