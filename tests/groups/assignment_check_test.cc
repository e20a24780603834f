#include "core/groups/assignment_check.h"

#include <gtest/gtest.h>

namespace leat::groups {
namespace {

using sdk::AssignmentInput;
using sdk::GroupAssignment;
using sdk::GroupTopic;

// Members a and b; `orders` for both, `audit` for b alone, `old` for nobody.
AssignmentInput group() {
    AssignmentInput input{.group = "g", .members = {}, .topics = {}};
    input.members.push_back({.id = "a", .topics = {0}});
    input.members.push_back({.id = "b", .topics = {0, 1}});
    input.topics.push_back({.id = {}, .name = "orders", .partitions = {{}, {}}});
    input.topics.push_back({.id = {}, .name = "audit", .partitions = {{}}});
    input.topics.push_back({.id = {}, .name = "old", .partitions = {{}}});
    return input;
}

std::string verdict(const GroupAssignment& assignment) {
    return violation_in(group(), assignment).value_or("good");
}

TEST(AssignmentCheckTest, EachPartitionOnceToASubscriberIsGood) {
    EXPECT_EQ(verdict({{{0, 1}}, {{1, 0}, {0, 0}}}), "good");
    EXPECT_EQ(verdict({{}, {{0, 0}, {0, 1}, {1, 0}}}), "good");
}

TEST(AssignmentCheckTest, AGroupWithoutMembersWantsNothing) {
    AssignmentInput empty = group();
    empty.members.clear();
    EXPECT_FALSE(violation_in(empty, {}));
    EXPECT_TRUE(violation_in(empty, {{}}));
}

TEST(AssignmentCheckTest, APartitionOfAMemberThatNobodyKnowsIsSeen) {
    EXPECT_EQ(verdict({{{0, 0}, {0, 1}}}), "answers for 1 members, and there are 2");
    EXPECT_EQ(verdict({{}, {}, {{0, 0}}}), "answers for 3 members, and there are 2");
}

TEST(AssignmentCheckTest, APartitionGivenTwiceIsNamedWithBothMembers) {
    EXPECT_EQ(verdict({{{0, 0}, {0, 1}}, {{1, 0}, {0, 1}}}),
              "gives partition 1 of topic orders to member a and to member b");
    EXPECT_EQ(verdict({{{0, 0}, {0, 0}}, {}}),
              "gives partition 0 of topic orders to member a twice");
}

TEST(AssignmentCheckTest, AMemberGetsOnlyWhatItSubscribesTo) {
    EXPECT_EQ(verdict({{{1, 0}}, {{0, 0}, {0, 1}}}),
              "gives partition 0 of topic audit to member a, which does not subscribe to it");
    EXPECT_EQ(verdict({{{0, 0}, {2, 0}}, {{0, 1}, {1, 0}}}),
              "gives partition 0 of topic old to member a, which does not subscribe to it");
}

TEST(AssignmentCheckTest, WhatIsNotThereCannotBeGiven) {
    EXPECT_EQ(verdict({{{3, 0}}, {}}),
              "gives member a a partition of topic number 3, and there are 3");
    EXPECT_EQ(verdict({{{UINT32_MAX, 0}}, {}}),
              "gives member a a partition of topic number 4294967295, and there are 3");
    EXPECT_EQ(verdict({{{0, 2}}, {}}), "gives member a partition 2 of topic orders, which has 2");
    EXPECT_EQ(verdict({{{0, -1}}, {}}), "gives member a partition -1 of topic orders, which has 2");
    EXPECT_EQ(verdict({{{0, INT32_MIN}}, {}}),
              "gives member a partition -2147483648 of topic orders, which has 2");
}

TEST(AssignmentCheckTest, WhatIsSubscribedToIsNotLeftOut) {
    EXPECT_EQ(verdict({{{0, 0}}, {{1, 0}}}), "leaves out partition 1 of topic orders");
    EXPECT_EQ(verdict({{{0, 0}}, {{0, 1}}}), "leaves out partition 0 of topic audit");
}

}  // namespace
}  // namespace leat::groups
