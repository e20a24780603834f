// Spreads partitions by how far the group is behind in them, and moves little.
//
// A partition's load is its lag and, beside it, `partition_weight` records, so that partitions
// without lag are spread as well. Where the lag is unknown it counts as the median of its topic's
// known ones, and as none if none is known. Everybody keeps what he had; what nobody has goes, the
// heaviest first, to the subscriber with the least load. Then single partitions move from who has
// most to who has least, each only if
//   the two loads differ by more than `tolerated_spread` percent of the members' mean load, and
//   the more loaded of the two has at least `least_gain` records less after it than before.
// No such move is left when it ends. Lags change all the time: what is within these bounds is not
// worth the pause that a move costs, and a group is not assigned anew for its lag alone.
//
// Numbers of partitions may come out as uneven as lags are.
//
// Cost, with P partitions, M members and S subscriptions of all members together: O(P log P +
// S log S) for each pass, and O(log P) for each move. A second pass is needed where members
// subscribe to different topics.
#pragma once

#include <cstdint>

#include "leat/sdk/assignment.h"

namespace leat::lag_aware {

// Records, and percent; as the plugin's options of these names.
struct Measure {
    std::int64_t partition_weight = 1000;
    std::int64_t least_gain = 1000;
    std::int64_t tolerated_spread = 20;
};

// A partition's lag counts up to here, so that all of them together are still a number.
inline constexpr std::int64_t most_lag = std::int64_t{1} << 36;

class LagAwareAssignor final : public sdk::GroupAssignor {
public:
    static constexpr sdk::AssignmentCapabilities capabilities{.needs_lag = true};

    explicit LagAwareAssignor(Measure measure = {}) : measure_{measure} {}

    sdk::Result<sdk::GroupAssignment> assign(const sdk::AssignmentInput& input,
                                             sdk::AssignmentSteps& steps) const override;

private:
    const Measure measure_;
};

}  // namespace leat::lag_aware
