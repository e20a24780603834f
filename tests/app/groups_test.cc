// Consumer groups by the wire; tests/groups has the rules, tests/broker the coordinator's life.
#include <gtest/gtest.h>

#include "core/wire/messages/list_groups.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/classic_member.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

const std::string no_delay =
    "[network]\nshards = 2\n[group_coordinator]\ninitial_rebalance_delay = \"0s\"\n";

wire::JoinGroupRequest joining(const std::string& group, std::string member_id = {}) {
    const std::string_view metadata = "of the client";
    const auto bytes = std::as_bytes(std::span{metadata});
    return {.group_id = group,
            .session_timeout_ms = 30'000,
            .rebalance_timeout_ms = 30'000,
            .member_id = std::move(member_id),
            .protocol_type = "consumer",
            .protocols = {{"range", {bytes.begin(), bytes.end()}}}};
}

struct Membership {
    std::string member_id;
    std::int32_t generation = -1;
    std::size_t members = 0;  // As its leader is told.
};
// Joins, as a client of today does: asks for an id, then joins by it.
Membership join(RawClient& client, const std::string& group) {
    const auto first = client.call<wire::JoinGroupResponse>(joining(group), 9);
    EXPECT_EQ(first.error_code, ErrorCode::member_id_required);
    const auto second = client.call<wire::JoinGroupResponse>(joining(group, first.member_id), 9);
    EXPECT_EQ(second.error_code, ErrorCode::none);
    return {second.member_id, second.generation_id, second.members.size()};
}

wire::SyncGroupResponse sync(RawClient& client, const std::string& group, const Membership& member,
                             std::string_view assignment) {
    wire::SyncGroupRequest request{.group_id = group,
                                   .generation_id = member.generation,
                                   .member_id = member.member_id,
                                   .protocol_type = "consumer",
                                   .protocol_name = "range"};
    const auto bytes = std::as_bytes(std::span{assignment});
    request.assignments.push_back({member.member_id, {bytes.begin(), bytes.end()}});
    return client.call<wire::SyncGroupResponse>(request, 5);
}

ErrorCode heartbeat(RawClient& client, const std::string& group, const Membership& member) {
    return client
        .call<wire::HeartbeatResponse>(wire::HeartbeatRequest{.group_id = group,
                                                              .generation_id = member.generation,
                                                              .member_id = member.member_id},
                                       4)
        .error_code;
}

ErrorCode commit(RawClient& client, const std::string& group, const Membership& member,
                 std::int64_t offset) {
    wire::OffsetCommitRequest request{.group_id = group,
                                      .generation_id_or_member_epoch = member.generation,
                                      .member_id = member.member_id};
    request.topics.push_back({.name = "t"});
    request.topics[0].partitions.push_back(
        {.committed_offset = offset, .committed_metadata = "half way"});
    return client.call<wire::OffsetCommitResponse>(request, 9)
        .topics.at(0)
        .partitions.at(0)
        .error_code;
}

wire::OffsetFetchResponse::Partition committed(RawClient& client, const std::string& group) {
    wire::OffsetFetchRequest request{.groups = {{.group_id = group}}};
    request.groups[0].topics.emplace();
    request.groups[0].topics->push_back({.name = "t", .partition_indexes = {0}});
    const auto response = client.call<wire::OffsetFetchResponse>(request, 9);
    EXPECT_EQ(response.groups.at(0).error_code, ErrorCode::none);
    return response.groups.at(0).topics.at(0).partitions.at(0);
}

TEST(Groups, OneThatWorksIsTheSameAfterARestart) {
    auto broker = std::make_unique<BrokerUnderTest>(no_delay);
    broker->keep_folder();
    const auto folder = broker->folder();
    Membership member;
    {
        RawClient client{broker->port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        find_coordinator(client, "g");
        member = join(client, "g");
        EXPECT_EQ(member.members, 1u) << "alone, and so the leader";
        EXPECT_EQ(sync(client, "g", member, "all of it").error_code, ErrorCode::none);
        EXPECT_EQ(heartbeat(client, "g", member), ErrorCode::none);
        EXPECT_EQ(commit(client, "g", member, 42), ErrorCode::none);
    }
    ASSERT_TRUE(broker->stop());
    broker = std::make_unique<BrokerUnderTest>(no_delay, folder);
    RawClient client{broker->port()};
    find_coordinator(client, "g");
    EXPECT_EQ(heartbeat(client, "g", member), ErrorCode::none) << "it is a member still";
    const auto offset = committed(client, "g");
    EXPECT_EQ(offset.committed_offset, 42);
    EXPECT_EQ(offset.metadata, "half way");
    const auto again = sync(client, "g", member, "");
    EXPECT_EQ(again.error_code, ErrorCode::none);
    EXPECT_EQ(again.assignment.size(), std::string_view{"all of it"}.size());
    broker.reset();
    std::filesystem::remove_all(folder);
}

TEST(Groups, ASecondMemberMakesTheFirstJoinAgain) {
    BrokerUnderTest broker{no_delay};
    RawClient one{broker.port()}, other{broker.port()};
    ASSERT_EQ(create_topic(one, "t", 1), ErrorCode::none);
    find_coordinator(one, "g");
    const auto first = join(one, "g");
    EXPECT_EQ(sync(one, "g", first, "all").error_code, ErrorCode::none);

    const auto id = other.call<wire::JoinGroupResponse>(joining("g"), 9).member_id;
    const auto waits = other.send_request(joining("g", id), 9);
    while (heartbeat(one, "g", first) == ErrorCode::none) {
    }
    const auto rejoined = one.call<wire::JoinGroupResponse>(joining("g", first.member_id), 9);
    const auto joined = other.receive_response<wire::JoinGroupResponse>(9, waits);
    EXPECT_EQ(rejoined.generation_id, 2);
    EXPECT_EQ(joined.generation_id, 2);
    EXPECT_EQ(rejoined.members.size(), 2u) << "the leader stays the leader";
    EXPECT_EQ(joined.leader, first.member_id);
    EXPECT_EQ(commit(one, "g", first, 1), ErrorCode::illegal_generation) << "of the old generation";
}

TEST(Groups, ManyOnAllShardsAreFoundAndListed) {
    BrokerUnderTest broker{no_delay};
    RawClient client{broker.port()};
    find_coordinator(client, "first");
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    for (int i = 0; i < 40; ++i) {
        EXPECT_EQ(commit(client, "group-" + std::to_string(i), {}, i), ErrorCode::none);
    }
    for (int i = 0; i < 40; ++i) {
        EXPECT_EQ(committed(client, "group-" + std::to_string(i)).committed_offset, i);
    }
    const auto list = client.call<wire::ListGroupsResponse>(wire::ListGroupsRequest{}, 5);
    EXPECT_EQ(list.error_code, ErrorCode::none);
    EXPECT_EQ(list.groups.size(), 40u);
}

TEST(Groups, AProducerMayNotWriteWhereTheyLive) {
    BrokerUnderTest broker{no_delay};
    RawClient client{broker.port()};
    find_coordinator(client, "g");
    EXPECT_EQ(produce(client, "__consumer_offsets", 0, batch_of(1)).error_code,
              ErrorCode::invalid_topic_exception);
}

TEST(Groups, AStopAnswersThoseWhoWaitForOthersToJoin) {
    BrokerUnderTest broker{"[group_coordinator]\ninitial_rebalance_delay = \"60min\"\n"};
    RawClient client{broker.port()};
    find_coordinator(client, "g");
    const auto id = client.call<wire::JoinGroupResponse>(joining("g"), 9).member_id;
    const auto waits = client.send_request(joining("g", id), 9);
    // Once it is listed it waits.
    RawClient other{broker.port()};
    while (other.call<wire::ListGroupsResponse>(wire::ListGroupsRequest{}, 5).groups.empty()) {
    }
    EXPECT_TRUE(broker.stop());
    EXPECT_EQ(client.receive_response<wire::JoinGroupResponse>(9, waits).error_code,
              ErrorCode::not_coordinator);
}

}  // namespace
}  // namespace leat::app
