// Which leader epoch began at which offset (KIP-101, KIP-279): by it a follower finds where its log
// and the leader's part, and a consumer that its position still means what it meant.
//
// Entries are strictly increasing in epoch and in start offset. A machine: no I/O, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/result.h"
#include "leat/sdk/strong.h"

namespace leat::log {

using sdk::LeaderEpoch;
using sdk::Offset;

struct EpochStart {
    LeaderEpoch epoch;
    Offset start;

    bool operator==(const EpochStart&) const = default;
};

// An epoch and the offset at which it ends; -1 and -1 if that is not known.
struct EpochEnd {
    LeaderEpoch epoch{-1};
    Offset end{-1};

    bool operator==(const EpochEnd&) const = default;
};

class LeaderEpochs {
public:
    static constexpr std::string_view file_name = "leader-epoch-checkpoint";
    static constexpr std::size_t max_entries = 1u << 20;  // More in a checkpoint is refused.

    // The epoch of the records from `start` on. What contradicts it (entries of the same or a later
    // epoch, or that start at or above) gives way. True if an entry was made or changed.
    bool assign(LeaderEpoch epoch, Offset start);

    LeaderEpoch latest() const;                 // -1 if none.
    LeaderEpoch epoch_at(Offset offset) const;  // Of the record there; -1 below the first entry.
    std::span<const EpochStart> entries() const { return entries_; }
    // Whether both say the same about the records below `end`.
    bool agree_below(Offset end, const LeaderEpochs& other) const;

    // What OffsetForLeaderEpoch answers: the latest epoch ends at `log_end`; one between ends where
    // the next larger known one starts; one later than ours is unknown; one before the first known
    // is answered with itself and the start of the first.
    EpochEnd end_offset_for(LeaderEpoch requested, Offset log_end) const;

    // Forgets what starts at or above `end`: also if the log is not shortened by it (KAFKA-10706).
    bool truncate_from_end(Offset end);
    // The log now begins at `begin`: of the entries at or below it only the last is kept, from
    // `begin`.
    bool truncate_from_start(Offset begin);
    void clear() { entries_.clear(); }

    // Kafka's text: a line "0" (the version), one with the count, then "epoch start" lines.
    std::string encode() const;
    static sdk::Result<LeaderEpochs> decode(std::string_view text);  // Errc::corrupt

private:
    std::vector<EpochStart> entries_;
};

}  // namespace leat::log
