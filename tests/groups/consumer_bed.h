// A group "g" of KIP-848 and its members, as clients play them, with an assignor that deals out
// partitions in turns.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/groups/assignment_check.h"
#include "core/groups/assignment_topics.h"
#include "tests/groups/bed.h"

namespace leat::groups {

using Heartbeat = wire::ConsumerGroupHeartbeatRequest;
using HeartbeatAnswer = wire::ConsumerGroupHeartbeatResponse;

inline sdk::Uuid topic_id(std::uint8_t number) {
    sdk::Uuid id;
    id.bytes.back() = number;
    return id;
}

class ConsumerBed : public Bed {
public:
    void topic(const std::string& name, std::uint8_t number, std::size_t partitions,
               bool internal = false) {
        auto made = std::make_shared<cluster::TopicImage>();
        made->name = name;
        made->id = topic_id(number);
        made->internal = internal;
        made->partitions.resize(partitions);
        cluster::ImageDelta delta;
        delta.topics.push_back(std::move(made));
        image.apply(delta);
        machine->topics_changed();
    }
    void remove_topic(const std::string& name) {
        cluster::ImageDelta delta;
        delta.topics_gone.push_back(image.share(name));
        image.apply(delta);
        machine->topics_changed();
    }

    HeartbeatAnswer beat(const Heartbeat& request, wire::Version version = 1) {
        HeartbeatAnswer answer;
        decide([&](Effects& e) {
            answer = machine->consumer_heartbeat({"app", "/::1"}, request, version, now, e);
        });
        return answer;
    }
    ErrorCode error(const Heartbeat& request, wire::Version version = 1) {
        const std::size_t before = log.size();
        const auto answer = beat(request, version);
        if (answer.error_code != ErrorCode::none) {
            EXPECT_EQ(log.size(), before) << "what is refused changes nothing";
            EXPECT_FALSE(answer.member_id);
            EXPECT_TRUE(answer.error_message);
        }
        return answer.error_code;
    }

    // What the assignor says to the oldest question.
    AssignmentOutcome outcome() {
        AssignmentRequest request = std::move(asked.front());
        asked.erase(asked.begin());
        fill_in_topics(request.input, image);
        sdk::GroupAssignment given(request.input.members.size());
        for (std::uint32_t topic = 0; topic < request.input.topics.size(); ++topic) {
            std::vector<std::size_t> takers;
            for (std::size_t i = 0; i < given.size(); ++i) {
                if (std::ranges::count(request.input.members[i].topics, topic) > 0)
                    takers.push_back(i);
            }
            const std::size_t partitions = request.input.topics[topic].partitions.size();
            for (std::size_t p = 0; !takers.empty() && p < partitions; ++p) {
                given[takers[(p + shift) % takers.size()]].push_back(
                    {topic, static_cast<std::int32_t>(p)});
            }
        }
        EXPECT_EQ(violation_in(request.input, given), std::nullopt);
        return {request.group, request.number, request.input, given, "turns"};
    }
    void tell(const AssignmentOutcome& what) {
        decide([&](Effects& e) { machine->assigned(what, now, e); });
    }
    void assign() {
        while (!asked.empty()) tell(outcome());
    }
    wire::ConsumerGroupDescribeResponse::Group described() const {
        return machine->describe_consumer_group("g");
    }

    std::size_t shift = 0;  // With whom the turns begin.
};

inline Heartbeat join_heartbeat(std::string member_id, std::vector<std::string> topics = {"t"},
                                std::optional<std::string> instance = {}) {
    return {.group_id = "g",
            .member_id = std::move(member_id),
            .member_epoch = joins,
            .instance_id = std::move(instance),
            .rebalance_timeout_ms = 30'000,
            .subscribed_topic_names = std::move(topics),
            .topic_partitions = std::vector<Heartbeat::TopicPartitions>{}};
}

inline Heartbeat leave_heartbeat(std::string member_id, std::int32_t epoch = leaves,
                                 std::optional<std::string> instance = {}) {
    return {.group_id = "g",
            .member_id = std::move(member_id),
            .member_epoch = epoch,
            .instance_id = std::move(instance)};
}

// A client that takes what it is told at once, and gives back when revoke() is called.
class Consumer {
public:
    Consumer(ConsumerBed& bed, std::string member_id, std::optional<std::string> static_as = {})
        : id{std::move(member_id)}, instance{std::move(static_as)}, bed_{bed} {}

    ErrorCode join(std::vector<std::string> topics = {"t"}) {
        owned.clear();
        told.clear();
        names = topics;
        return hear(bed_.beat(join_heartbeat(id, std::move(topics), instance)));
    }
    Heartbeat request() const {
        Heartbeat made{
            .group_id = "g",
            .member_id = id,
            .member_epoch = epoch,
            .instance_id = instance,
            .topic_partitions = topic_list<std::vector<Heartbeat::TopicPartitions>>(owned)};
        if (!lost_answer) return made;
        made.rebalance_timeout_ms = 30'000;
        made.subscribed_topic_names = names;
        return made;
    }
    ErrorCode beat() { return hear(bed_.beat(request())); }
    ErrorCode hear(const HeartbeatAnswer& answer) {
        if (answer.error_code != ErrorCode::none) {
            epoch = joins;  // Whatever it was: it begins anew, with nothing.
            owned.clear();
            told.clear();
            return answer.error_code;
        }
        lost_answer = false;
        epoch = answer.member_epoch;
        if (answer.assignment) {
            told = partition_set(answer.assignment->topic_partitions);
            for (const auto& [topic, partitions] : told)
                owned[topic].insert(partitions.begin(), partitions.end());
        }
        return answer.error_code;
    }
    void revoke() { owned = told; }
    std::set<std::int32_t> of(std::uint8_t topic) const {
        const auto found = owned.find(topic_id(topic));
        return found == owned.end() ? std::set<std::int32_t>{} : found->second;
    }

    std::string id;
    std::optional<std::string> instance;
    std::int32_t epoch = joins;
    PartitionSet owned;
    PartitionSet told;
    std::vector<std::string> names;
    bool lost_answer = false;  // Then it says all, to be told all.

private:
    ConsumerBed& bed_;
};

// Each beats, gives back and beats until nothing is left to do.
inline void calm(ConsumerBed& bed, std::vector<Consumer*> members) {
    for (int round = 0; round < 4; ++round) {
        bed.assign();
        for (Consumer* member : members) {
            member->beat();
            member->revoke();
        }
    }
}

}  // namespace leat::groups
