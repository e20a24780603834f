#include "range_assignor.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace leat::range {

namespace {

using sdk::AssignmentInput;

std::vector<std::size_t> in_order(const AssignmentInput& input) {
    std::vector<std::size_t> order(input.members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t at) {
        const sdk::GroupMember& member = input.members[at];
        return std::tuple{!member.instance, member.instance.value_or(member.id), member.id};
    });
    return order;
}

// What is left of a topic while its subscribers take their runs.
struct Rest {
    std::int32_t each = 0;
    std::int32_t one_more = 0;  // So many subscribers get one more.
    std::int32_t next = 0;
};

std::vector<Rest> all_of(const AssignmentInput& input) {
    std::vector<std::int32_t> subscribers(input.topics.size(), 0);
    for (const sdk::GroupMember& member : input.members)
        for (const std::uint32_t topic : member.topics) ++subscribers[topic];
    std::vector<Rest> rest(input.topics.size());
    for (std::size_t topic = 0; topic < rest.size(); ++topic) {
        if (subscribers[topic] == 0) continue;
        const auto count = static_cast<std::int32_t>(input.topics[topic].partitions.size());
        rest[topic] = {.each = count / subscribers[topic], .one_more = count % subscribers[topic]};
    }
    return rest;
}

}  // namespace

sdk::Result<sdk::GroupAssignment> RangeAssignor::assign(const AssignmentInput& input,
                                                        sdk::AssignmentSteps& steps) const {
    sdk::GroupAssignment assignment(input.members.size());
    std::vector<Rest> rest = all_of(input);
    for (const std::size_t member : in_order(input)) {
        for (const std::uint32_t topic : input.members[member].topics) {
            Rest& left = rest[topic];
            const std::int32_t end = left.next + left.each + (left.one_more > 0 ? 1 : 0);
            if (left.one_more > 0) --left.one_more;
            while (left.next < end) assignment[member].push_back({topic, left.next++});
        }
        if (!steps.take(1 + input.members[member].topics.size() + assignment[member].size()))
            return sdk::Error{sdk::Errc::limit, "stopped before every member had its partitions"};
    }
    return assignment;
}

}  // namespace leat::range
