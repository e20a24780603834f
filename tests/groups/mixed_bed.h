// Consumers of the classic protocol as clients play them, also where the group is one of KIP-848.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/groups/migration.h"
#include "core/wire/consumer_protocol.h"
#include "tests/groups/consumer_bed.h"

namespace leat::groups {

inline const std::string eager = "range";
inline const std::string cooperative = "cooperative-sticky";

// Takes its part when it is told to, and assigns in turns when it leads.
class ClassicConsumer {
public:
    ClassicConsumer(ConsumerBed& bed, std::string protocol,
                    std::optional<std::string> static_as = {})
        : instance{std::move(static_as)}, bed_{bed}, protocol_{std::move(protocol)} {}

    wire::JoinGroupRequest request() const {
        wire::ConsumerProtocolSubscription subscription{.topics = topics,
                                                        .generation_id = generation};
        for (const auto& [topic, partitions] : owned_by_name())
            subscription.owned_partitions.push_back({topic, partitions});
        auto made = join_request(id, instance);
        made.protocols = {{protocol_, *wire::encode_subscription(subscription, 2)}};
        return made;
    }
    // Who is told that it needs an id comes again at once.
    void join() {
        if (protocol_ == eager) {
            owned.clear();
            told.reset();
        }
        joining = bed_.join(request());
        syncing.reset();
        take();
    }
    void sync() {
        auto made = sync_request(id, generation, assignments_);
        made.group_instance_id = instance;
        made.protocol_name = protocol_;
        syncing = bed_.sync(made);
        take();
    }
    ErrorCode beat() {
        const ErrorCode error = bed_.heartbeat(id, generation, instance);
        if (error == ErrorCode::rebalance_in_progress) to_join = true;
        if (error == ErrorCode::unknown_member_id || error == ErrorCode::fenced_instance_id)
            forget();
        if (error == ErrorCode::illegal_generation) give_up();
        return error;
    }
    void leave() {
        bed_.leave(id, instance);
        forget();
    }
    // Gives back what it was not assigned again, and says so by joining once more.
    void revoke() {
        if (!told || owned == *told) return;
        owned = *told;
        to_join = true;
    }
    // Answers that are there by now.
    void take() {
        if (joining && bed_.answered(*joining)) {
            const Ticket ticket = *std::exchange(joining, std::nullopt);
            hear(bed_.joined(ticket));
        }
        if (syncing && bed_.answered(*syncing)) {
            const Ticket ticket = *std::exchange(syncing, std::nullopt);
            hear(bed_.synced(ticket));
        }
    }
    // Whatever is next: for stories that do not care.
    void go_on() {
        bed_.pass(0ms);  // Of the initial delay, which is none.
        take();
        if (joining || syncing) return;
        if (generation >= 0 && !to_join) beat();
        if (generation < 0 || to_join) join();
        bed_.pass(0ms);
        take();
        if (generation >= 0 && to_sync && !joining) sync();
        revoke();
    }
    void forget() {
        give_up();
        id.clear();
    }
    void lose_answers() {
        joining.reset();
        syncing.reset();
        if (to_sync) give_up();
    }
    std::set<std::int32_t> of(std::uint8_t topic) const {
        const auto found = owned.find(topic_id(topic));
        return found == owned.end() ? std::set<std::int32_t>{} : found->second;
    }

    std::string id;
    std::optional<std::string> instance;
    std::int32_t generation = -1;
    PartitionSet owned;
    std::optional<PartitionSet> told;
    std::vector<std::string> topics{"t"};
    std::optional<Ticket> joining;
    std::optional<Ticket> syncing;
    bool to_join = false;
    bool to_sync = false;
    ErrorCode last = ErrorCode::none;

private:
    void give_up() {
        generation = -1;
        owned.clear();
        told.reset();
        to_join = to_sync = false;
        joining.reset();
        syncing.reset();
    }
    std::map<std::string, std::vector<std::int32_t>> owned_by_name() const {
        std::map<std::string, std::vector<std::int32_t>> by_name;
        for (const auto& [topic, partitions] : owned) {
            if (const auto* found = bed_.image.topic(topic))
                by_name[found->name].assign(partitions.begin(), partitions.end());
        }
        return by_name;
    }
    void hear(const wire::JoinGroupResponse& answer) {
        last = answer.error_code;
        if (last == ErrorCode::member_id_required) {
            id = answer.member_id;
            return join();
        }
        if (last == ErrorCode::rebalance_in_progress) {
            to_join = true;
            return;
        }
        if (last != ErrorCode::none) return forget();
        id = answer.member_id;
        generation = answer.generation_id;
        to_join = false;
        to_sync = true;
        assignments_.clear();
        if (answer.leader == id && !answer.members.empty()) assign(answer);
    }
    void hear(const wire::SyncGroupResponse& answer) {
        last = answer.error_code;
        to_sync = false;
        if (last == ErrorCode::rebalance_in_progress) to_join = true;
        if (last == ErrorCode::illegal_generation) return give_up();
        if (last == ErrorCode::unknown_member_id || last == ErrorCode::fenced_instance_id)
            return forget();
        if (last != ErrorCode::none) return;
        const auto assignment = wire::decode_assignment(answer.assignment);
        ASSERT_TRUE(assignment);
        told = known_partitions(assignment->message.assigned_partitions, bed_.image);
        for (const auto& [topic, partitions] : *told)
            owned[topic].insert(partitions.begin(), partitions.end());
    }
    // A cooperative leader gives nobody what another still owns.
    void assign(const wire::JoinGroupResponse& answer) {
        std::map<std::pair<std::string, std::int32_t>, std::string> owners;
        std::map<std::string, std::vector<std::string>> takers;
        for (const auto& member : answer.members) {
            const auto subscription = wire::decode_subscription(member.metadata);
            for (const auto& topic : subscription->message.topics)
                takers[topic].push_back(member.member_id);
            for (const auto& topic : subscription->message.owned_partitions) {
                for (const std::int32_t each : topic.partitions)
                    owners.emplace(std::pair{topic.topic, each}, member.member_id);
            }
        }
        std::map<std::string, std::map<std::string, std::vector<std::int32_t>>> given;
        for (const auto& [topic, members] : takers) {
            const auto* known = bed_.image.topic(topic);
            const std::size_t partitions = known == nullptr ? 0 : known->partitions.size();
            for (std::size_t p = 0; p < partitions; ++p) {
                const auto number = static_cast<std::int32_t>(p);
                const std::string& taker = members[(p + bed_.shift) % members.size()];
                const auto owner = owners.find({topic, number});
                if (owner == owners.end() || owner->second == taker)
                    given[taker][topic].push_back(number);
            }
        }
        for (const auto& member : answer.members) {
            wire::ConsumerProtocolAssignment told_to;
            for (const auto& [topic, partitions] : given[member.member_id])
                told_to.assigned_partitions.push_back({topic, partitions});
            assignments_.push_back({member.member_id, *wire::encode_assignment(told_to, 2)});
        }
    }

    ConsumerBed& bed_;
    std::string protocol_;
    std::vector<wire::SyncGroupRequest::Assignment> assignments_;
};

}  // namespace leat::groups
