#include "uniform_assignor.h"

#include <algorithm>
#include <numeric>

namespace leat::uniform {

std::vector<std::size_t> members_by_id(const sdk::AssignmentInput& input) {
    std::vector<std::size_t> order(input.members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {},
                      [&](std::size_t at) -> const std::string& { return input.members[at].id; });
    return order;
}

std::int64_t half_of(const sdk::Uuid& id, std::size_t half) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) number = number << 8 | id.bytes[half * 8 + i];
    return static_cast<std::int64_t>(number);
}

bool comes_before(const sdk::Uuid& a, const sdk::Uuid& b) {
    if (half_of(a, 0) != half_of(b, 0)) return half_of(a, 0) < half_of(b, 0);
    return half_of(a, 1) < half_of(b, 1);
}

sdk::Result<sdk::GroupAssignment> UniformAssignor::assign(const sdk::AssignmentInput& input,
                                                          sdk::AssignmentSteps& steps) const {
    sdk::GroupAssignment assignment(input.members.size());
    if (input.members.empty()) return assignment;
    const bool same = std::ranges::all_of(input.members, [&](const sdk::GroupMember& member) {
        return member.topics == input.members.front().topics;
    });
    const bool done = same ? assign_same_topics(input, steps, assignment)
                           : assign_mixed_topics(input, steps, assignment);
    if (!done) return sdk::Error{sdk::Errc::limit, "stopped before the partitions were spread"};
    return assignment;
}

}  // namespace leat::uniform
