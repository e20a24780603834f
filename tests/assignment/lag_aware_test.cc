#include <gtest/gtest.h>

#include <limits>

#include "leat/sdk/testing/assignment_rules.h"
#include "plugins/assignment/lag_aware/lag_aware_assignor.h"
#include "tests/assignment/moves.h"

namespace leat::sdk::testing {
namespace {

using lag_aware::LagAwareAssignor;
using Lags = std::vector<std::optional<std::int64_t>>;

// One topic, and members that all subscribe to it.
AssignmentInput group(const Lags& lags, const std::vector<std::string>& members) {
    AssignmentInput input{.group = "g", .members{}, .topics{{.id{}, .name = "t", .partitions{}}}};
    for (const auto& lag : lags)
        input.topics[0].partitions.push_back({.racks{}, .lag = lag, .bytes{}});
    for (const std::string& id : members) input.members.push_back({.id = id, .topics = {0}});
    return input;
}

GroupAssignment assigned(const AssignmentInput& input, lag_aware::Measure measure = {}) {
    CountedSteps steps;
    auto given = LagAwareAssignor{measure}.assign(input, steps);
    EXPECT_TRUE(given);
    return given ? std::move(*given) : GroupAssignment(input.members.size());
}

std::vector<std::size_t> counts(const GroupAssignment& given) {
    std::vector<std::size_t> all;
    for (const auto& own : given) all.push_back(own.size());
    return all;
}

// Where every lag is known.
std::int64_t load(const AssignmentInput& input, const std::vector<GroupPartition>& own,
                  std::int64_t partition_weight = 1000) {
    std::int64_t sum = 0;
    for (const GroupPartition at : own)
        sum += partition_weight +
               *input.topics[at.topic].partitions[static_cast<std::size_t>(at.partition)].lag;
    return sum;
}

TEST(LagAwareTest, WhoGetsThePartitionThatIsFarBehindGetsNoOther) {
    const AssignmentInput input = group({500'000, 10, 20, 30, 40}, {"a", "b", "c"});
    EXPECT_EQ(counts(assigned(input)), (std::vector<std::size_t>{1, 2, 2}));
}

TEST(LagAwareTest, PartitionsWithoutLagAreSpreadByTheirNumber) {
    for (const std::optional<std::int64_t> lag : {std::optional<std::int64_t>{}, {0}}) {
        const AssignmentInput input = group(Lags(12, lag), {"a", "b", "c"});
        EXPECT_EQ(counts(assigned(input)), (std::vector<std::size_t>{4, 4, 4}));
    }
}

TEST(LagAwareTest, AnUnknownLagCountsAsTheMedianOfItsTopic) {
    const AssignmentInput input =
        group({std::nullopt, std::nullopt, 9000, 9000, 0, 0, 9000}, {"a", "b"});
    AssignmentInput told = input;
    told.topics[0].partitions[0].lag = told.topics[0].partitions[1].lag = 9000;
    EXPECT_EQ(assigned(input), assigned(told));
}

TEST(LagAwareTest, LagThatGrowsWithinTheToleratedSpreadMovesNothing) {
    AssignmentInput input = group(Lags(40, 10'000), {"a", "b"});
    RandomGroups::settle(input, assigned(input));
    for (const GroupPartition at : input.members[0].previous)
        *input.topics[0].partitions[static_cast<std::size_t>(at.partition)].lag += 1500;
    EXPECT_EQ(moves(input, assigned(input)), 0u);
    EXPECT_GT(moves(input, assigned(input, {.least_gain = 1, .tolerated_spread = 0})), 0u);
}

TEST(LagAwareTest, NothingMovesThatBringsLessThanTheLeastGain) {
    AssignmentInput input = group({4000, 4000, 0}, {"a", "b"});
    // a has 6,000 and b 5,000 records; and then a has 10,000.
    input.members[0].previous = {{0, 0}, {0, 2}};
    input.members[1].previous = {{0, 1}};
    EXPECT_EQ(moves(input, assigned(input, {.least_gain = 500, .tolerated_spread = 0})), 0u);
    input.topics[0].partitions[0].lag = 8000;
    EXPECT_EQ(moves(input, assigned(input, {.least_gain = 1001, .tolerated_spread = 0})), 0u);
    EXPECT_EQ(moves(input, assigned(input, {.least_gain = 1000, .tolerated_spread = 0})), 1u);
}

TEST(LagAwareTest, AMemberThatComesTakesTheHeavyPartitionsAndFewOfThem) {
    AssignmentInput input = group(Lags(50, 0), {"a", "b"});
    for (const std::size_t heavy : {3U, 4U, 7U, 30U})
        input.topics[0].partitions[heavy].lag = 24'000;
    RandomGroups::settle(input, assigned(input));
    input.members.push_back({.id = "c", .topics = {0}});
    const GroupAssignment given = assigned(input);
    EXPECT_EQ(moves(input, given), 2u) << "of 50, where an even share would be 16";
    EXPECT_EQ(load(input, given[0]), 48'000);
    EXPECT_EQ(load(input, given[1]), 48'000);
    EXPECT_EQ(load(input, given[2]), 50'000);
}

// That is what its header promises, looked at from outside.
TEST(LagAwareTest, NoMoveThatIsWorthItIsLeft) {
    RandomGroups random{5};
    for (int i = 0; i < 500; ++i) {
        AssignmentInput input = random.huge(2 + random.up_to(10), 2 + random.up_to(80));
        for (GroupTopic& topic : input.topics)
            for (PartitionFacts& facts : topic.partitions) facts.lag = facts.lag.value_or(0);
        const lag_aware::Measure measure{.partition_weight = 1 + random.up_to(5000),
                                         .least_gain = 1 + random.up_to(5000),
                                         .tolerated_spread = random.up_to(50)};
        const GroupAssignment given = assigned(input, measure);
        std::vector<std::int64_t> loads;
        std::int64_t all = 0;
        for (const auto& own : given) {
            loads.push_back(load(input, own, measure.partition_weight));
            all += loads.back();
        }
        const std::int64_t least = std::ranges::min(loads);
        const auto members = static_cast<std::int64_t>(given.size());
        for (std::size_t giver = 0; giver < given.size(); ++giver) {
            if (loads[giver] - least <= all / members / 100 * measure.tolerated_spread) continue;
            for (const GroupPartition at : given[giver]) {
                const std::int64_t weight = load(input, {at}, measure.partition_weight);
                EXPECT_LT(std::min(weight, loads[giver] - least - weight), measure.least_gain)
                    << "in group " << i;
            }
        }
    }
}

TEST(LagAwareTest, LagsWithoutBoundAreStillNumbers) {
    const AssignmentInput input =
        group(Lags(1000, std::numeric_limits<std::int64_t>::max()), {"a", "b", "c", "d"});
    EXPECT_EQ(counts(assigned(input)), (std::vector<std::size_t>{250, 250, 250, 250}));
}

}  // namespace
}  // namespace leat::sdk::testing
