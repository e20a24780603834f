// For each rule of the assignment kit there is an assignor that breaks it, and the kit says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "leat/sdk/testing/assignment_rules.h"
#include "plugins/assignment/range/range_assignor.h"
#include "plugins/assignment/uniform/uniform_assignor.h"

namespace leat::sdk::testing {
namespace {

enum class Fault {
    gives_one_twice,
    leaves_one_out,
    gives_to_a_stranger,
    gives_what_is_not_there,
    one_takes_all,
    two_swap_every_time,
    forgets_what_others_had,
    changes_its_mind,
    first_member_of_the_input_is_favoured,
    first_topic_of_the_input_is_favoured,
    looks_at_no_rack,
    looks_at_every_pair_of_partitions,
    takes_no_steps,
    goes_on_when_told_to_stop,
};

// Swaps the first partitions of the first two members that have any and may.
void swap_two(const AssignmentInput& input, GroupAssignment& given) {
    for (std::size_t a = 0; a < given.size(); ++a)
        for (std::size_t b = a + 1; b < given.size(); ++b) {
            if (given[a].empty() || given[b].empty() ||
                input.members[a].topics != input.members[b].topics)
                continue;
            std::swap(given[a].front(), given[b].front());
            return;
        }
}

class FaultyAssignor final : public GroupAssignor {
public:
    explicit FaultyAssignor(Fault fault) : fault_{fault} {}

    Result<GroupAssignment> assign(const AssignmentInput& input,
                                   AssignmentSteps& steps) const override {
        CountedSteps own;
        if (is(Fault::forgets_what_others_had)) return range::RangeAssignor{}.assign(input, steps);
        const bool heeds = !is(Fault::takes_no_steps) && !is(Fault::goes_on_when_told_to_stop);
        auto given = good_.assign(input, heeds ? steps : static_cast<AssignmentSteps&>(own));
        if (is(Fault::goes_on_when_told_to_stop)) static_cast<void>(steps.take(own.taken()));
        if (!given) return given;
        std::uint64_t partitions = 0;
        for (const auto& topic : input.topics) partitions += topic.partitions.size();
        if (is(Fault::looks_at_every_pair_of_partitions) && !steps.take(partitions * partitions))
            return Error{Errc::limit, "too many"};
        spoil(input, *given);
        return given;
    }

private:
    void spoil(const AssignmentInput& input, GroupAssignment& given) const {
        const auto some = std::ranges::find_if(given, [](auto& each) { return !each.empty(); });
        if (some == given.end()) return;
        if (is(Fault::gives_one_twice)) given.back().push_back(some->front());
        if (is(Fault::leaves_one_out)) some->pop_back();
        if (is(Fault::gives_what_is_not_there))
            some->front().partition =
                static_cast<std::int32_t>(input.topics[some->front().topic].partitions.size());
        if (is(Fault::gives_to_a_stranger)) move_one(input, given, false);
        if (is(Fault::one_takes_all) && given.size() > 1) move_one(input, given, true);
        if (is(Fault::two_swap_every_time) && !input.members.front().previous.empty())
            swap_two(input, given);
        if (is(Fault::changes_its_mind) && ++asked_ % 2 == 0) swap_two(input, given);
        if (is(Fault::first_member_of_the_input_is_favoured) && given.size() > 1 &&
            input.members[0].id > input.members[1].id)
            swap_two(input, given);
        if (is(Fault::first_topic_of_the_input_is_favoured) && input.topics.size() > 1 &&
            input.topics[0].name > input.topics[1].name)
            swap_two(input, given);
    }
    // All that another may have goes to one; or one partition to who does not subscribe to it.
    static void move_one(const AssignmentInput& input, GroupAssignment& given, bool subscribed) {
        for (auto& own : given)
            for (std::size_t to = 0; to < given.size(); ++to)
                while (&own != &given[to] && !own.empty() &&
                       std::ranges::binary_search(input.members[to].topics, own.back().topic) ==
                           subscribed) {
                    given[to].push_back(own.back());
                    own.pop_back();
                    if (!subscribed) return;
                }
    }
    bool is(Fault fault) const { return fault_ == fault; }

    const Fault fault_;
    const uniform::UniformAssignor good_;
    mutable int asked_ = 0;
};

const std::multimap<std::string, Fault>& planted() {
    static const std::multimap<std::string, Fault> all{
        {"EveryPartitionIsWithOneSubscriber", Fault::gives_one_twice},
        {"EveryPartitionIsWithOneSubscriber", Fault::leaves_one_out},
        {"EveryPartitionIsWithOneSubscriber", Fault::gives_to_a_stranger},
        {"EveryPartitionIsWithOneSubscriber", Fault::gives_what_is_not_there},
        {"CountsAreAsEvenAsDeclared", Fault::one_takes_all},
        {"NothingMovesWhenNothingChanged", Fault::two_swap_every_time},
        {"WhenOneLeavesTheOthersKeepTheirs", Fault::forgets_what_others_had},
        {"TheSameGroupHasTheSameAssignment", Fault::changes_its_mind},
        {"TheOrderOfMembersMeansNothing", Fault::first_member_of_the_input_is_favoured},
        {"TheOrderOfTopicsMeansNothing", Fault::first_topic_of_the_input_is_favoured},
        {"ReplicasInTheRackArePreferred", Fault::looks_at_no_rack},
        {"AHugeGroupStaysWithinItsSteps", Fault::looks_at_every_pair_of_partitions},
        {"AHugeGroupStaysWithinItsSteps", Fault::takes_no_steps},
        {"StopsWhenItsStepsAreSpent", Fault::goes_on_when_told_to_stop},
    };
    return all;
}

TEST(PlantedAssignorTest, EveryRuleFindsTheAssignorsThatBreakIt) {
    for (const AssignmentRule& rule : assignment_rules()) {
        EXPECT_TRUE(planted().contains(rule.name)) << rule.name << " has no fault that breaks it";
        const auto [first, last] = planted().equal_range(rule.name);
        for (auto it = first; it != last; ++it) {
            const Fault fault = it->second;
            AssignmentCapabilities has = uniform::UniformAssignor::capabilities;
            has.follows_racks = true;
            const AssignorUnderTest faulty{
                .make = [fault] { return std::make_unique<FaultyAssignor>(fault); },
                .capabilities = has};
            EXPECT_NE(complaints_about(faulty, rule), "")
                << rule.name << " passes fault " << static_cast<int>(fault);
        }
    }
}

}  // namespace
}  // namespace leat::sdk::testing
