#include <gtest/gtest.h>

#include "leat/sdk/testing/assignment_rules.h"
#include "plugins/assignment/rack_aware/rack_aware_assignor.h"
#include "plugins/assignment/sticky/sticky_assignor.h"
#include "tests/assignment/moves.h"

namespace leat::sdk::testing {
namespace {

bool is_near(const AssignmentInput& input, GroupPartition at, const GroupMember& member) {
    const auto& facts = input.topics[at.topic].partitions[static_cast<std::size_t>(at.partition)];
    return !member.rack.empty() && std::ranges::count(facts.racks, member.rack) > 0;
}

std::size_t count_near(const AssignmentInput& input, const GroupAssignment& given) {
    std::size_t near = 0;
    for (std::size_t i = 0; i < given.size(); ++i)
        for (const GroupPartition at : given[i])
            if (is_near(input, at, input.members[i])) ++near;
    return near;
}

template <class Assignor>
GroupAssignment assigned(const AssignmentInput& input) {
    CountedSteps steps;
    auto given = Assignor{}.assign(input, steps);
    EXPECT_TRUE(given);
    return given ? std::move(*given) : GroupAssignment(input.members.size());
}

// Beyond what evenness costs anyway.
TEST(RackAwareTest, APartitionComesNearAtTheCostOfAtMostThreeMoves) {
    RandomGroups random{12};
    for (int i = 0; i < 2000; ++i) {
        AssignmentInput input = random.huge(1 + random.up_to(12), 1 + random.up_to(60));
        RandomGroups::settle(input, assigned<sticky::StickyAssignor>(input));
        if (random.one_in(2)) random.join(input);
        const GroupAssignment even = assigned<sticky::StickyAssignor>(input);
        const GroupAssignment near = assigned<rack_aware::RackAwareAssignor>(input);
        ASSERT_GE(count_near(input, near), count_near(input, even));
        const std::size_t gain = count_near(input, near) - count_near(input, even);
        EXPECT_LE(moves(input, near), moves(input, even) + 3 * gain) << "in group " << i;
    }
}

TEST(RackAwareTest, WhereRacksAreUnknownItIsSticky) {
    RandomGroups random{13};
    for (int i = 0; i < 500; ++i) {
        AssignmentInput input = random.group();
        for (GroupMember& member : input.members) member.rack.clear();
        for (int lives = 0; lives < 4; ++lives) {
            const GroupAssignment given = assigned<rack_aware::RackAwareAssignor>(input);
            ASSERT_EQ(given, assigned<sticky::StickyAssignor>(input)) << "in group " << i;
            RandomGroups::settle(input, given);
            random.happen(input);
            for (GroupMember& member : input.members) member.rack.clear();
        }
    }
}

}  // namespace
}  // namespace leat::sdk::testing
