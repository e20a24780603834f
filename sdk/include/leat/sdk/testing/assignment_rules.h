// The assignment kit's rules, without the test framework. Most walk the same thousands of groups,
// made from a seed: each lives through a dozen changes, what was assigned becoming what its members
// had. A complaint names seed and situation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/sdk/assignment.h"
#include "leat/sdk/testing/assignment_groups.h"

namespace leat::sdk::testing {

struct AssignorUnderTest {
    std::function<std::unique_ptr<GroupAssignor>()> make;
    AssignmentCapabilities capabilities;  // As declared.
    std::uint64_t seed = 1;
};

class CountedSteps final : public AssignmentSteps {
public:
    explicit CountedSteps(std::uint64_t most = UINT64_MAX) : most_{most} {}

    bool take(std::uint64_t steps) override {
        if (taken_ > most_) after_the_end_ += steps;
        taken_ += steps;
        return taken_ <= most_;
    }
    std::uint64_t taken() const { return taken_; }
    std::uint64_t after_the_end() const { return after_the_end_; }

private:
    const std::uint64_t most_;
    std::uint64_t taken_ = 0;
    std::uint64_t after_the_end_ = 0;  // Since take() said that they are spent.
};

struct AssignmentRule {
    const char* name;  // A sentence.
    // What the assignor does wrong; empty if it keeps the rule.
    std::string (*complaint)(const AssignorUnderTest& declared);
};

namespace assignment_detail {

inline constexpr int situations = 3000;
inline constexpr int changes = 12;  // In the life of one group.

// Topic and partition to member.
using Owners = std::map<std::pair<std::uint32_t, std::int32_t>, std::size_t>;

inline Owners owners_in(const GroupAssignment& assignment) {
    Owners owners;
    for (std::size_t member = 0; member < assignment.size(); ++member)
        for (const GroupPartition at : assignment[member])
            owners[{at.topic, at.partition}] = member;
    return owners;
}

inline bool subscribes(const GroupMember& member, std::uint32_t topic) {
    return std::ranges::binary_search(member.topics, topic);
}

inline bool valid(const AssignmentInput& input, const GroupAssignment& assignment) {
    if (assignment.size() != input.members.size()) return false;
    std::size_t given = 0;
    for (std::size_t member = 0; member < assignment.size(); ++member)
        for (const GroupPartition at : assignment[member]) {
            ++given;
            if (at.topic >= input.topics.size() || at.partition < 0) return false;
            if (static_cast<std::size_t>(at.partition) >= input.topics[at.topic].partitions.size())
                return false;
            if (!subscribes(input.members[member], at.topic)) return false;
        }
    std::size_t wanted = 0;
    for (std::uint32_t topic = 0; topic < input.topics.size(); ++topic)
        if (std::ranges::any_of(input.members, [&](const GroupMember& member) {
                return subscribes(member, topic);
            }))
            wanted += input.topics[topic].partitions.size();
    return given == wanted && owners_in(assignment).size() == given;
}

inline bool same_topics(const AssignmentInput& input) {
    return std::ranges::all_of(input.members, [&](const GroupMember& member) {
        return member.topics == input.members.front().topics;
    });
}

// What the core would not have gathered is unknown.
inline void forget_what_is_not_needed(AssignmentInput& input, const AssignmentCapabilities& has) {
    for (GroupTopic& topic : input.topics)
        for (PartitionFacts& partition : topic.partitions) {
            if (!has.needs_lag) partition.lag.reset();
            if (!has.needs_sizes) partition.bytes.reset();
        }
}

struct Situation {
    const AssignorUnderTest& declared;
    const GroupAssignor& assignor;
    const AssignmentInput& input;
    const GroupAssignment& assignment;  // What it gave.
    RandomGroups& random;

    // What it gives to another input; nothing if it fails, which is never right.
    std::optional<GroupAssignment> again(const AssignmentInput& other) const {
        CountedSteps steps;
        auto given = assignor.assign(other, steps);
        if (!given || given->size() != other.members.size()) return std::nullopt;
        return std::move(*given);
    }
};

inline std::string walk(const AssignorUnderTest& declared, bool (*keeps)(const Situation&)) {
    const auto assignor = declared.make();
    RandomGroups random{declared.seed};
    AssignmentInput input;
    for (int i = 0; i < situations; ++i) {
        const std::string place =
            " in situation " + std::to_string(i) + " of seed " + std::to_string(declared.seed);
        if (i % changes == 0)
            input = random.group();
        else
            random.happen(input);
        forget_what_is_not_needed(input, declared.capabilities);
        CountedSteps steps;
        const auto given = assignor->assign(input, steps);
        if (!given) return "fails" + place + ": " + given.error().what;
        if (given->size() != input.members.size()) return "answers for other members" + place;
        if (!keeps({declared, *assignor, input, *given, random})) return "does not hold" + place;
        if (!valid(input, *given)) return {};  // Another rule's.
        RandomGroups::settle(input, *given);
    }
    return {};
}

inline bool even_in_each_topic(const AssignmentInput& input, const GroupAssignment& assignment) {
    std::vector<std::vector<std::int32_t>> counts(input.topics.size());
    for (std::size_t member = 0; member < assignment.size(); ++member) {
        std::map<std::uint32_t, std::int32_t> own;
        for (const std::uint32_t topic : input.members[member].topics) own[topic] = 0;
        for (const GroupPartition at : assignment[member]) ++own[at.topic];
        for (const auto& [topic, count] : own) counts[topic].push_back(count);
    }
    return std::ranges::all_of(counts, [](const std::vector<std::int32_t>& each) {
        return each.empty() || std::ranges::max(each) - std::ranges::min(each) <= 1;
    });
}

inline bool even_among_members(const AssignmentInput& input, const GroupAssignment& assignment) {
    std::vector<std::size_t> fewest(input.topics.size(), SIZE_MAX);  // Of the topic's subscribers.
    for (std::size_t member = 0; member < assignment.size(); ++member)
        for (const std::uint32_t topic : input.members[member].topics)
            fewest[topic] = std::min(fewest[topic], assignment[member].size());
    for (const auto& own : assignment)
        for (const GroupPartition at : own)
            if (own.size() >= fewest[at.topic] + 2) return false;
    return true;
}

inline bool as_even_as_declared(const Situation& now) {
    switch (now.declared.capabilities.balance) {
        case AssignmentBalance::none:
            return true;
        case AssignmentBalance::each_topic:
            return even_in_each_topic(now.input, now.assignment);
        case AssignmentBalance::members:
            return even_among_members(now.input, now.assignment);
    }
    return false;
}

inline bool nothing_moves(const Situation& now) {
    AssignmentInput settled = now.input;
    RandomGroups::settle(settled, now.assignment);
    const auto again = now.again(settled);
    return again && owners_in(*again) == owners_in(now.assignment);
}

inline bool the_others_keep_theirs(const Situation& now) {
    if (!now.declared.capabilities.keeps_the_others || now.input.members.size() < 2 ||
        !same_topics(now.input))
        return true;
    AssignmentInput smaller = now.input;
    RandomGroups::settle(smaller, now.assignment);
    RandomGroups::leave(smaller,
                        now.random.up_to(static_cast<std::uint32_t>(smaller.members.size()) - 1));
    const auto again = now.again(smaller);
    if (!again) return false;
    const Owners owners = owners_in(*again);
    for (std::size_t member = 0; member < smaller.members.size(); ++member)
        for (const GroupPartition at : smaller.members[member].previous) {
            const auto found = owners.find({at.topic, at.partition});
            if (found == owners.end() || found->second != member) return false;
        }
    return true;
}

inline bool the_answer_is_the_same(const Situation& now) {
    const auto other = now.declared.make();
    CountedSteps steps;
    const auto given = other->assign(now.input, steps);
    const auto again = now.again(now.input);
    return given && again && owners_in(*given) == owners_in(now.assignment) &&
           owners_in(*again) == owners_in(now.assignment);
}

inline bool order_of_members_means_nothing(const Situation& now) {
    AssignmentInput shuffled = now.input;
    now.random.shuffle_members(shuffled);
    const auto given = now.again(shuffled);
    if (!given) return false;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < now.input.members.size(); ++i) places[now.input.members[i].id] = i;
    GroupAssignment back(given->size());
    for (std::size_t i = 0; i < given->size(); ++i)
        back[places[shuffled.members[i].id]] = (*given)[i];
    return owners_in(back) == owners_in(now.assignment);
}

inline bool order_of_topics_means_nothing(const Situation& now) {
    AssignmentInput shuffled = now.input;
    const std::vector<std::uint32_t> order = now.random.shuffle_topics(shuffled);
    auto given = now.again(shuffled);
    if (!given) return false;
    GroupAssignment there = now.assignment;
    for (auto& own : there)
        for (GroupPartition& at : own)
            if (at.topic < order.size()) at.topic = order[at.topic];
    return owners_in(*given) == owners_in(there);
}

// Three racks with as many members each, and partitions that each have one replica, as many in
// each rack: everybody can have only what is near.
inline std::string racks_are_followed(const AssignorUnderTest& declared) {
    if (!declared.capabilities.follows_racks) return {};
    RandomGroups random{declared.seed};
    const auto assignor = declared.make();
    for (int i = 0; i < 300; ++i) {
        const std::uint32_t members = 1 + random.up_to(5);
        const std::uint32_t each = 1 + random.up_to(5);
        AssignmentInput input = random.huge(3 * members, 3 * members * each);
        std::uint32_t next = 0;
        for (GroupMember& member : input.members)
            member.rack = "rack-" + std::to_string(next++ % 3);
        next = 0;
        for (GroupTopic& topic : input.topics)
            for (PartitionFacts& partition : topic.partitions)
                partition.racks = {"rack-" + std::to_string(next++ % 3)};
        CountedSteps steps;
        const auto given = assignor->assign(input, steps);
        if (!given || given->size() != input.members.size()) return "fails with racks";
        for (std::size_t member = 0; member < given->size(); ++member)
            for (const GroupPartition at : (*given)[member])
                if (input.topics[at.topic]
                        .partitions[static_cast<std::size_t>(at.partition)]
                        .racks.front() != input.members[member].rack)
                    return "leaves a partition in a far rack, in situation " + std::to_string(i) +
                           " of seed " + std::to_string(declared.seed);
    }
    return {};
}

inline std::string huge_group_takes(const AssignorUnderTest& declared, const AssignmentInput& input,
                                    const char* which) {
    std::uint64_t partitions = 0;
    for (const GroupTopic& topic : input.topics) partitions += topic.partitions.size();
    // Whoever looks at every pair of a member and a partition a few times still passes.
    CountedSteps steps{4 * partitions * input.members.size()};
    const auto given = declared.make()->assign(input, steps);
    if (!given)
        return std::string{which} + " takes more than " +
               std::to_string(4 * partitions * input.members.size()) + " steps";
    if (!valid(input, *given)) return std::string{which} + " is assigned wrongly";
    if (steps.taken() < partitions)
        return std::string{which} + " takes fewer steps than it has partitions";
    return {};
}

inline std::string huge_groups_are_assigned(const AssignorUnderTest& declared) {
    RandomGroups random{declared.seed};
    AssignmentInput input = random.huge(1000, 10'000);
    forget_what_is_not_needed(input, declared.capabilities);
    std::string complaint = huge_group_takes(declared, input, "a group of 1,000");
    // All of it is with one member, and the others have just come.
    for (std::uint32_t topic = 0; topic < input.topics.size(); ++topic)
        for (std::size_t at = 0; at < input.topics[topic].partitions.size(); ++at)
            input.members.front().previous.push_back({topic, static_cast<std::int32_t>(at)});
    if (complaint.empty()) complaint = huge_group_takes(declared, input, "a group of 1 and 999");
    random.subscribe_differently(input);
    if (complaint.empty()) complaint = huge_group_takes(declared, input, "a mixed group of 1,000");
    return complaint;
}

inline bool stops_when_told(const Situation& now) {
    if (now.input.members.empty() || owners_in(now.assignment).empty()) return true;
    std::uint64_t size = now.input.members.size() + owners_in(now.assignment).size();
    for (const GroupMember& member : now.input.members) size += member.topics.size();
    CountedSteps steps{0};
    const auto given = now.assignor.assign(now.input, steps);
    return !given && steps.after_the_end() <= 4 * size;
}

template <bool (*keeps)(const Situation&)>
std::string walked(const AssignorUnderTest& declared) {
    return walk(declared, keeps);
}
inline bool is_valid(const Situation& now) {
    return valid(now.input, now.assignment);
}

}  // namespace assignment_detail

inline std::vector<AssignmentRule> assignment_rules() {
    using namespace assignment_detail;
    return {
        {"EveryPartitionIsWithOneSubscriber", walked<is_valid>},
        {"CountsAreAsEvenAsDeclared", walked<as_even_as_declared>},
        {"NothingMovesWhenNothingChanged", walked<nothing_moves>},
        {"WhenOneLeavesTheOthersKeepTheirs", walked<the_others_keep_theirs>},
        {"TheSameGroupHasTheSameAssignment", walked<the_answer_is_the_same>},
        {"TheOrderOfMembersMeansNothing", walked<order_of_members_means_nothing>},
        {"TheOrderOfTopicsMeansNothing", walked<order_of_topics_means_nothing>},
        {"ReplicasInTheRackArePreferred", racks_are_followed},
        {"AHugeGroupStaysWithinItsSteps", huge_groups_are_assigned},
        {"StopsWhenItsStepsAreSpent", walked<stops_when_told>},
    };
}

// What an assignor does wrong under one rule; empty if it keeps it.
inline std::string complaints_about(const AssignorUnderTest& declared, const AssignmentRule& rule) {
    const std::string complaint = rule.complaint(declared);
    return complaint.empty() ? complaint : std::string{rule.name} + ": " + complaint;
}

}  // namespace leat::sdk::testing
