// A member of a group of the classic protocol, as clients play it: it joins, leads or follows, has
// heartbeats, and begins anew when it is told to. It does one thing at a time and waits for
// nobody: turn() looks whether its answer has come, so one thread plays many of them.
//
// "consumer" is its protocol type, topic "t" what it reads; a leader deals the partitions out.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/wire/consumer_protocol.h"
#include "core/wire/messages/find_coordinator.h"
#include "core/wire/messages/heartbeat.h"
#include "core/wire/messages/join_group.h"
#include "core/wire/messages/leave_group.h"
#include "core/wire/messages/offset_commit.h"
#include "core/wire/messages/offset_fetch.h"
#include "core/wire/messages/sync_group.h"
#include "tests/app/raw_client.h"

namespace leat::app {

inline wire::JoinGroupRequest classic_join(const std::string& group, std::string member_id = {},
                                           std::int32_t session_timeout_ms = 30'000) {
    return {.group_id = group,
            .session_timeout_ms = session_timeout_ms,
            .rebalance_timeout_ms = 30'000,
            .member_id = std::move(member_id),
            .protocol_type = "consumer",
            .protocols = {{"range", wire::encode_subscription({.topics = {"t"}}, 1).value()}}};
}

// So that the topic of groups is there.
inline void find_coordinator(RawClient& client, const std::string& group) {
    const auto found = client.call<wire::FindCoordinatorResponse>(
        wire::FindCoordinatorRequest{.coordinator_keys = {group}}, 4);
    EXPECT_EQ(found.coordinators.at(0).error_code, wire::ErrorCode::none);
}

// -1: none; -2: an error.
inline std::int64_t committed_offset(RawClient& client, const std::string& group,
                                     std::int32_t partition = 0, const std::string& topic = "t") {
    wire::OffsetFetchRequest request{.groups = {{.group_id = group}}};
    request.groups[0].topics.emplace();
    request.groups[0].topics->push_back({.name = topic, .partition_indexes = {partition}});
    auto response = client.call<wire::OffsetFetchResponse>(request, 9).groups.at(0);
    while (response.error_code == wire::ErrorCode::coordinator_load_in_progress)
        response = client.call<wire::OffsetFetchResponse>(request, 9).groups.at(0);
    if (response.error_code != wire::ErrorCode::none) return -2;
    return response.topics.at(0).partitions.at(0).committed_offset;
}

class ClassicMember {
public:
    using Error = wire::ErrorCode;
    enum class Step { join, sync, heartbeat };

    ClassicMember(std::uint16_t port, std::string group, std::int32_t partitions = 4,
                  std::int32_t session_timeout_ms = 30'000)
        : group_{std::move(group)},
          partitions_{partitions},
          session_timeout_ms_{session_timeout_ms} {
        connect(port);
    }

    // Also to a broker that was started again. Who waited for others begins to join once more.
    void connect(std::uint16_t port) {
        client_ = std::make_unique<RawClient>(port);
        find_coordinator(*client_, group_);
        waiting_.reset();
        if (step_ == Step::sync) step_ = Step::join;
        loaded_ = false;
        stable_ = false;
    }

    // Sends what is next, or takes what came of it. False: there was nothing to do.
    bool turn() {
        if (!waiting_) {
            if (step_ == Step::sync && holds_sync_) return false;
            waiting_ = send();
            return true;
        }
        if (!client_->has_answer()) return false;
        receive(*std::exchange(waiting_, std::nullopt));
        return true;
    }
    // It does not get around to sending SyncGroup.
    void hold_sync(bool held) { holds_sync_ = held; }

    // By another connection, for this one may wait.
    Error commit(std::uint16_t port, std::int32_t partition, std::int64_t offset) const {
        RawClient client{port};
        wire::OffsetCommitRequest request{
            .group_id = group_, .generation_id_or_member_epoch = generation_, .member_id = id_};
        request.topics.push_back({.name = "t"});
        request.topics[0].partitions.push_back(
            {.partition_index = partition, .committed_offset = offset});
        const auto response = client.call<wire::OffsetCommitResponse>(request, 9);
        return response.topics.at(0).partitions.at(0).error_code;
    }
    Error leave(std::uint16_t port) const {
        RawClient client{port};
        wire::LeaveGroupRequest request{.group_id = group_};
        request.members.push_back({.member_id = id_});
        return client.call<wire::LeaveGroupResponse>(request, 4).members.at(0).error_code;
    }

    Step step() const { return step_; }
    bool waits() const { return waiting_.has_value(); }
    bool leads() const { return leads_; }
    // Its last heartbeat was good.
    bool stable() const { return stable_; }
    const std::string& id() const { return id_; }
    std::int32_t generation() const { return generation_; }
    const std::set<std::int32_t>& owned() const { return owned_; }
    // Since it was made.
    std::size_t joins() const { return joins_; }

private:
    std::int32_t send() {
        if (step_ == Step::join)
            return client_->send_request(classic_join(group_, id_, session_timeout_ms_), 9);
        if (step_ == Step::heartbeat) {
            return client_->send_request(
                wire::HeartbeatRequest{
                    .group_id = group_, .generation_id = generation_, .member_id = id_},
                4);
        }
        return client_->send_request(wire::SyncGroupRequest{.group_id = group_,
                                                            .generation_id = generation_,
                                                            .member_id = id_,
                                                            .protocol_type = "consumer",
                                                            .protocol_name = "range",
                                                            .assignments = std::move(assignments_)},
                                     5);
    }

    void receive(std::int32_t correlation) {
        if (step_ == Step::join) {
            joined(client_->receive_response<wire::JoinGroupResponse>(9, correlation));
        } else if (step_ == Step::heartbeat) {
            const auto heard = client_->receive_response<wire::HeartbeatResponse>(4, correlation);
            stable_ = heard.error_code == Error::none;
            if (heard.error_code != Error::none) failed(heard.error_code);
        } else {
            synced(client_->receive_response<wire::SyncGroupResponse>(5, correlation));
        }
    }

    void joined(const wire::JoinGroupResponse& response) {
        if (response.error_code == Error::member_id_required) {
            id_ = response.member_id;
            return;
        }
        if (response.error_code != Error::none) return failed(response.error_code);
        loaded_ = true;
        ++joins_;
        id_ = response.member_id;
        generation_ = response.generation_id;
        leads_ = response.leader == id_;
        step_ = Step::sync;
        if (leads_) assign(response.members);
    }

    void assign(const std::vector<wire::JoinGroupResponse::Member>& members) {
        ASSERT_FALSE(members.empty());
        std::vector<std::vector<std::int32_t>> dealt(members.size());
        for (std::int32_t p = 0; p < partitions_; ++p) {
            dealt[static_cast<std::size_t>(p) % members.size()].push_back(p);
        }
        assignments_.clear();
        for (std::size_t i = 0; i < members.size(); ++i) {
            const auto bytes = wire::encode_assignment(
                {.assigned_partitions = {{.topic = "t", .partitions = dealt[i]}}}, 1);
            ASSERT_TRUE(bytes);
            assignments_.push_back({members[i].member_id, *bytes});
        }
    }

    void synced(const wire::SyncGroupResponse& response) {
        if (response.error_code != Error::none) return failed(response.error_code);
        const auto assignment = wire::decode_assignment(response.assignment);
        ASSERT_TRUE(assignment) << "an assignment that no leader made";
        owned_.clear();
        for (const auto& topic : assignment->message.assigned_partitions)
            owned_.insert(topic.partitions.begin(), topic.partitions.end());
        step_ = Step::heartbeat;
    }

    void failed(Error error) {
        stable_ = false;
        if (error == Error::coordinator_load_in_progress) {
            EXPECT_FALSE(loaded_) << "it had loaded already";
            return;
        }
        loaded_ = true;
        EXPECT_TRUE(error == Error::rebalance_in_progress || error == Error::unknown_member_id ||
                    error == Error::illegal_generation)
            << "error " << static_cast<int>(error);
        if (error == Error::unknown_member_id) id_.clear();
        if (error != Error::rebalance_in_progress) owned_.clear();
        step_ = Step::join;
    }

    const std::string group_;
    const std::int32_t partitions_;
    const std::int32_t session_timeout_ms_;
    std::unique_ptr<RawClient> client_;
    std::string id_;
    std::int32_t generation_ = -1;
    Step step_ = Step::join;
    std::optional<std::int32_t> waiting_;  // For the answer to this request.
    bool holds_sync_ = false;
    bool leads_ = false;
    bool stable_ = false;
    bool loaded_ = false;  // The coordinator, as far as it has told.
    std::vector<wire::SyncGroupRequest::Assignment> assignments_;
    std::set<std::int32_t> owned_;
    std::size_t joins_ = 0;
};

// All in turns until `condition` holds; false: it never did.
inline bool turn_until(const std::vector<ClassicMember*>& members,
                       const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        bool any = false;
        for (ClassicMember* member : members) any = member->turn() || any;
        if (!any) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return true;
}

// In one generation, and each partition has one owner.
inline bool settled(const std::vector<ClassicMember*>& members, std::int32_t partitions) {
    std::set<std::int32_t> owned;
    std::size_t sum = 0;
    for (const ClassicMember* member : members) {
        if (!member->stable() || member->generation() != members[0]->generation()) return false;
        owned.insert(member->owned().begin(), member->owned().end());
        sum += member->owned().size();
    }
    EXPECT_LE(sum, owned.size()) << "a partition has two owners";
    return owned.size() == static_cast<std::size_t>(partitions);
}

}  // namespace leat::app
