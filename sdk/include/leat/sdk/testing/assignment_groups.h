// Random groups for whoever tests a group assignor, all from one seed: members with one and with
// different subscriptions, static ones, racks, lag and sizes known and unknown; and what happens to
// a group between two assignments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/assignment.h"

namespace leat::sdk::testing {

class RandomGroups {
public:
    explicit RandomGroups(std::uint64_t seed) : random_{seed} {}

    std::uint32_t up_to(std::uint32_t most) {
        return static_cast<std::uint32_t>(random_() % (std::uint64_t{most} + 1));
    }
    bool one_in(std::uint32_t count) { return up_to(count - 1) == 0; }

    // A group that was never assigned. Of each second one all members subscribe to the same.
    AssignmentInput group() {
        AssignmentInput input{
            .group = "group-" + std::to_string(up_to(999)), .members{}, .topics{}};
        racks_ = up_to(3);
        lag_known_ = !one_in(3);
        same_ = one_in(2);
        made_ = 0;
        const std::uint32_t topics = 1 + (one_in(8) ? up_to(30) : up_to(5));
        for (std::uint32_t i = 0; i < topics; ++i) input.topics.push_back(topic(i));
        const std::uint32_t members = one_in(20) ? up_to(1) : 1 + up_to(one_in(8) ? 40 : 8);
        for (std::uint32_t i = 0; i < members; ++i) join(input);
        return input;
    }

    // `assignment` becomes what the members had and hold.
    static void settle(AssignmentInput& input, const GroupAssignment& assignment) {
        for (std::size_t i = 0; i < input.members.size(); ++i) {
            auto& had = input.members[i].previous;
            had = assignment[i];
            std::ranges::sort(had);
            input.members[i].owned = had;
        }
    }

    // Something changes: a member joins, leaves, restarts with its instance id or subscribes
    // otherwise, a topic grows, a rack is told, a lag is another.
    void happen(AssignmentInput& input) {
        switch (up_to(6)) {
            case 0:
            case 1:
                return join(input);
            case 2:
                if (!input.members.empty()) leave(input, any(input.members));
                return;
            case 3:
                return restart(input);
            case 4:
                return subscribe_otherwise(input);
            case 5: {
                auto& partitions = input.topics[any(input.topics)].partitions;
                for (std::uint32_t more = 1 + up_to(4); more > 0; --more)
                    partitions.push_back(facts());
                return;
            }
            default:
                for (GroupTopic& each : input.topics)
                    for (PartitionFacts& partition : each.partitions) partition = facts();
        }
    }

    void join(AssignmentInput& input) {
        GroupMember member;
        // Ids of which the order is not that of joining.
        member.id = std::to_string(random_() % 1'000'000) + "-" + std::to_string(made_++);
        if (one_in(4)) member.instance = "instance-" + std::to_string(random_() % 1'000'000);
        if (racks_ > 0 && !one_in(5)) member.rack = rack(up_to(racks_ - 1));
        member.client_id = "client";
        member.client_host = "/127.0.0.1";
        member.topics = same_ ? everything(input) : some_topics(input);
        if (same_ && !input.members.empty()) member.topics = input.members.front().topics;
        input.members.push_back(std::move(member));
    }

    static void leave(AssignmentInput& input, std::size_t member) {
        input.members.erase(input.members.begin() + static_cast<std::ptrdiff_t>(member));
    }

    // The members in another order.
    void shuffle_members(AssignmentInput& input) {
        std::shuffle(input.members.begin(), input.members.end(), random_);
    }

    // The topics in another order; what stood at position i then stands at element i of the answer.
    std::vector<std::uint32_t> shuffle_topics(AssignmentInput& input) {
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < input.topics.size(); ++i) order.push_back(i);
        std::shuffle(order.begin(), order.end(), random_);
        std::vector<GroupTopic> topics(order.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            topics[order[i]] = std::move(input.topics[i]);
        input.topics = std::move(topics);
        for (GroupMember& member : input.members) {
            for (std::uint32_t& each : member.topics) each = order[each];
            for (GroupPartition& each : member.previous) each.topic = order[each.topic];
            for (GroupPartition& each : member.owned) each.topic = order[each.topic];
            std::ranges::sort(member.topics);
            std::ranges::sort(member.previous);
            std::ranges::sort(member.owned);
        }
        return order;
    }

    // Every member subscribes to all of some topics of 2 to 200 partitions each.
    AssignmentInput huge(std::uint32_t members, std::uint32_t partitions) {
        AssignmentInput input{.group = "huge", .members{}, .topics{}};
        racks_ = 3;
        lag_known_ = same_ = true;
        made_ = 0;
        while (partitions > 0) {
            GroupTopic next = topic(static_cast<std::uint32_t>(input.topics.size()));
            const std::uint32_t count = std::min(partitions, 2 + up_to(198));
            next.partitions.clear();
            for (std::uint32_t i = 0; i < count; ++i) next.partitions.push_back(facts());
            partitions -= count;
            input.topics.push_back(std::move(next));
        }
        for (std::uint32_t i = 0; i < members; ++i) join(input);
        return input;
    }

    // From now on members subscribe to different topics.
    void subscribe_differently(AssignmentInput& input) {
        same_ = false;
        for (GroupMember& member : input.members) member.topics = some_topics(input);
    }

private:
    template <class Container>
    std::size_t any(const Container& container) {
        return up_to(static_cast<std::uint32_t>(container.size()) - 1);
    }
    static std::string rack(std::uint32_t number) { return "rack-" + std::to_string(number); }

    GroupTopic topic(std::uint32_t number) {
        GroupTopic made;
        for (auto& byte : made.id.bytes) byte = static_cast<std::uint8_t>(random_());
        made.name = "topic-" + std::to_string(number);
        const std::uint32_t count = 1 + up_to(one_in(10) ? 60 : 8);
        for (std::uint32_t i = 0; i < count; ++i) made.partitions.push_back(facts());
        return made;
    }

    PartitionFacts facts() {
        PartitionFacts made;
        for (std::uint32_t i = 0; i < racks_; ++i)
            if (!one_in(3)) made.racks.push_back(rack(i));
        // As lags are: most partitions have next to none, some have very much.
        if (lag_known_ && !one_in(10))
            made.lag = one_in(3) ? 0 : static_cast<std::int64_t>(random_() % 100 << up_to(20));
        if (one_in(2)) made.bytes = random_() % 100 << up_to(30);
        return made;
    }

    static std::vector<std::uint32_t> everything(const AssignmentInput& input) {
        std::vector<std::uint32_t> topics;
        for (std::uint32_t i = 0; i < input.topics.size(); ++i) topics.push_back(i);
        return topics;
    }
    std::vector<std::uint32_t> some_topics(const AssignmentInput& input) {
        std::vector<std::uint32_t> topics = everything(input);
        std::erase_if(topics, [&](std::uint32_t) { return one_in(2); });
        return topics;
    }

    void restart(AssignmentInput& input) {
        for (GroupMember& member : input.members)
            if (member.instance)
                member.id = std::to_string(random_() % 1'000'000) + "-" + std::to_string(made_++);
    }

    void subscribe_otherwise(AssignmentInput& input) {
        if (input.members.empty()) return;
        if (!same_) {
            input.members[any(input.members)].topics = some_topics(input);
            return;
        }
        std::vector<std::uint32_t> topics = some_topics(input);
        for (GroupMember& member : input.members) member.topics = topics;
    }

    std::mt19937_64 random_;
    std::uint32_t racks_ = 0;
    std::uint32_t made_ = 0;  // Members of this group.
    bool lag_known_ = false;
    bool same_ = false;
};

}  // namespace leat::sdk::testing
