// A member of a group of KIP-848, as clients play it: it says by heartbeats what it subscribes to
// and what it has, and takes and gives back what it is told to.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/wire/messages/consumer_group_describe.h"
#include "core/wire/messages/consumer_group_heartbeat.h"
#include "core/wire/messages/find_coordinator.h"
#include "core/wire/messages/offset_commit.h"
#include "core/wire/messages/offset_fetch.h"
#include "tests/app/raw_client.h"

namespace leat::app {

class ConsumerMember {
public:
    using Request = wire::ConsumerGroupHeartbeatRequest;
    using Response = wire::ConsumerGroupHeartbeatResponse;
    using Owned = std::map<sdk::Uuid, std::set<std::int32_t>>;

    ConsumerMember(std::uint16_t port, std::string group, std::string id)
        : group_{std::move(group)}, id_{std::move(id)} {
        connect(port);
    }

    // Also to a broker that was started again: it goes on as it was.
    void connect(std::uint16_t port) {
        client_ = std::make_unique<RawClient>(port);
        const auto found = client_->call<wire::FindCoordinatorResponse>(
            wire::FindCoordinatorRequest{.coordinator_keys = {group_}}, 4);
        EXPECT_EQ(found.coordinators.at(0).error_code, wire::ErrorCode::none);
    }

    Response join(std::vector<std::string> topics, Request more = {}) {
        more.subscribed_topic_names = std::move(topics);
        return join_as(std::move(more));
    }
    Response join_by_pattern(std::string pattern) {
        return join_as({.subscribed_topic_regex = std::move(pattern)});
    }
    // Subscribes to other topics.
    Response subscribe(std::vector<std::string> topics) {
        return send({.member_epoch = epoch_, .subscribed_topic_names = std::move(topics)});
    }
    Response beat() {
        Request request{.member_epoch = epoch_};
        request.topic_partitions.emplace();
        for (const auto& [topic, partitions] : owned_)
            request.topic_partitions->push_back({topic, {partitions.begin(), partitions.end()}});
        return send(std::move(request));
    }
    Response leave() { return send({.member_epoch = -1}); }

    wire::ErrorCode commit(const std::string& topic, std::int32_t partition, std::int64_t offset) {
        wire::OffsetCommitRequest request{
            .group_id = group_, .generation_id_or_member_epoch = epoch_, .member_id = id_};
        request.topics.push_back({.name = topic});
        request.topics[0].partitions.push_back(
            {.partition_index = partition, .committed_offset = offset});
        const auto response = client_->call<wire::OffsetCommitResponse>(request, 9);
        return response.topics.at(0).partitions.at(0).error_code;
    }
    // -1: none; -2: an error.
    std::int64_t committed(const std::string& topic, std::int32_t partition) {
        wire::OffsetFetchRequest request;
        request.groups.push_back({.group_id = group_, .member_id = id_, .member_epoch = epoch_});
        request.groups[0].topics.emplace();
        request.groups[0].topics->push_back({.name = topic, .partition_indexes = {partition}});
        const auto response = client_->call<wire::OffsetFetchResponse>(request, 9);
        if (response.groups.at(0).error_code != wire::ErrorCode::none) return -2;
        return response.groups[0].topics.at(0).partitions.at(0).committed_offset;
    }
    wire::ConsumerGroupDescribeResponse::Group describe(wire::Version version = 1) {
        return client_
            ->call<wire::ConsumerGroupDescribeResponse>(
                wire::ConsumerGroupDescribeRequest{.group_ids = {group_},
                                                   .include_authorized_operations = true},
                version)
            .groups.at(0);
    }

    const std::string& id() const { return id_; }
    std::int32_t epoch() const { return epoch_; }
    const Owned& owned() const { return owned_; }
    std::size_t partitions() const {
        std::size_t all = 0;
        for (const auto& [topic, partitions] : owned_) all += partitions.size();
        return all;
    }

private:
    Response join_as(Request request) {
        request.rebalance_timeout_ms = 60'000;
        request.topic_partitions.emplace();
        return send(std::move(request));
    }
    Response send(Request request) {
        const wire::Version version = id_.empty() ? 0 : 1;  // KIP-1082: its own id from 1 on.
        request.group_id = group_;
        request.member_id = id_;
        auto response = client_->call<Response>(request, version);
        while (response.error_code == wire::ErrorCode::coordinator_load_in_progress)
            response = client_->call<Response>(request, version);
        if (response.error_code != wire::ErrorCode::none) return response;
        id_ = response.member_id.value_or("");
        epoch_ = response.member_epoch;
        if (!response.assignment) return response;
        owned_.clear();
        for (const auto& topic : response.assignment->topic_partitions)
            owned_[topic.topic_id] = {topic.partitions.begin(), topic.partitions.end()};
        return response;
    }

    const std::string group_;
    std::string id_;
    std::unique_ptr<RawClient> client_;
    std::int32_t epoch_ = 0;
    Owned owned_;
};

// Heartbeats of all in turns, without an error, until `condition` holds; false: it never did.
template <class Condition>
bool beat_until(const std::vector<ConsumerMember*>& members, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        for (ConsumerMember* member : members) {
            const auto answer = member->beat();
            EXPECT_EQ(answer.error_code, wire::ErrorCode::none) << member->id();
            if (answer.error_code != wire::ErrorCode::none) return false;
        }
    }
    return true;
}

}  // namespace leat::app
