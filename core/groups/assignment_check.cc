#include "core/groups/assignment_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::groups {

namespace {

using sdk::AssignmentInput;
using sdk::GroupPartition;

constexpr std::size_t nobody = SIZE_MAX;

std::string name_of(const AssignmentInput& input, GroupPartition at) {
    return "partition " + std::to_string(at.partition) + " of topic " + input.topics[at.topic].name;
}

class Check {
public:
    explicit Check(const AssignmentInput& input) : input_{input} {
        owners_.reserve(input.topics.size());
        for (const sdk::GroupTopic& topic : input.topics)
            owners_.emplace_back(topic.partitions.size(), nobody);
    }

    std::optional<std::string> given(std::size_t member, GroupPartition at) {
        const sdk::GroupMember& taker = input_.members[member];
        if (at.topic >= input_.topics.size())
            return "gives member " + taker.id + " a partition of topic number " +
                   std::to_string(at.topic) + ", and there are " +
                   std::to_string(input_.topics.size());
        auto& owners = owners_[at.topic];
        const auto number = static_cast<std::size_t>(at.partition);
        if (at.partition < 0 || number >= owners.size())
            return "gives member " + taker.id + " " + name_of(input_, at) + ", which has " +
                   std::to_string(owners.size());
        if (!std::ranges::binary_search(taker.topics, at.topic))
            return "gives " + name_of(input_, at) + " to member " + taker.id +
                   ", which does not subscribe to it";
        if (owners[number] == member)
            return "gives " + name_of(input_, at) + " to member " + taker.id + " twice";
        if (owners[number] != nobody)
            return "gives " + name_of(input_, at) + " to member " +
                   input_.members[owners[number]].id + " and to member " + taker.id;
        owners[number] = member;
        return std::nullopt;
    }

    std::optional<std::string> missing() const {
        std::vector<bool> wanted(input_.topics.size(), false);
        for (const sdk::GroupMember& member : input_.members)
            for (const std::uint32_t topic : member.topics) wanted[topic] = true;
        for (std::uint32_t topic = 0; topic < owners_.size(); ++topic) {
            if (!wanted[topic]) continue;
            const auto found = std::ranges::find(owners_[topic], nobody);
            if (found == owners_[topic].end()) continue;
            const auto partition = static_cast<std::int32_t>(found - owners_[topic].begin());
            return "leaves out " + name_of(input_, {topic, partition});
        }
        return std::nullopt;
    }

private:
    const AssignmentInput& input_;
    std::vector<std::vector<std::size_t>> owners_;  // By topic and partition.
};

}  // namespace

std::optional<std::string> violation_in(const AssignmentInput& input,
                                        const sdk::GroupAssignment& assignment) {
    if (assignment.size() != input.members.size())
        return "answers for " + std::to_string(assignment.size()) + " members, and there are " +
               std::to_string(input.members.size());
    Check check{input};
    for (std::size_t member = 0; member < assignment.size(); ++member)
        for (const GroupPartition at : assignment[member])
            if (auto violation = check.given(member, at)) return violation;
    return check.missing();
}

}  // namespace leat::groups
