// What the stories of assignors count.
#pragma once

#include <algorithm>
#include <cstddef>

#include "leat/sdk/assignment.h"

namespace leat::sdk::testing {

// Partitions that somebody had and has no longer.
inline std::size_t moves(const AssignmentInput& input, const GroupAssignment& given) {
    std::size_t moved = 0;
    for (std::size_t i = 0; i < given.size(); ++i)
        for (const GroupPartition at : input.members[i].previous)
            if (std::ranges::count(given[i], at) == 0) ++moved;
    return moved;
}

}  // namespace leat::sdk::testing
