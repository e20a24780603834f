// Groups of KIP-848 by the wire, with real assignors; tests/groups has the rules.
#include <gtest/gtest.h>

#include "core/wire/consumer_protocol.h"
#include "core/wire/messages/create_partitions.h"
#include "core/wire/messages/delete_topics.h"
#include "core/wire/messages/describe_configs.h"
#include "core/wire/messages/join_group.h"
#include "core/wire/messages/list_groups.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/consumer_member.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

const std::string two_shards = "[network]\nshards = 2\n";
const std::string coordinator = two_shards + "[group_coordinator]\n";

// What both have, each once.
std::set<std::pair<sdk::Uuid, std::int32_t>> together(const ConsumerMember& one,
                                                      const ConsumerMember& other) {
    std::set<std::pair<sdk::Uuid, std::int32_t>> all;
    for (const auto* member : {&one, &other}) {
        for (const auto& [topic, partitions] : member->owned()) {
            for (const std::int32_t each : partitions) all.emplace(topic, each);
        }
    }
    return all;
}

TEST(ConsumerGroups, TwoMembersShareATopicAndTheFirstGivesBackForTheSecond) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 4), ErrorCode::none);
    ConsumerMember one{broker.port(), "g", "one"}, two{broker.port(), "g", "two"};
    EXPECT_EQ(one.join({"t"}).heartbeat_interval_ms, 5'000);
    ASSERT_TRUE(beat_until({&one}, [&] { return one.partitions() == 4; }));
    EXPECT_EQ(one.commit("t", 0, 7), ErrorCode::none);

    EXPECT_EQ(two.join({"t"}).error_code, ErrorCode::none);
    ASSERT_TRUE(beat_until({&one, &two}, [&] {
        EXPECT_EQ(together(one, two).size(), one.partitions() + two.partitions())
            << "a partition has two owners";
        return one.partitions() == 2 && two.partitions() == 2;
    }));
    ASSERT_TRUE(beat_until({&one, &two}, [&] { return one.describe().group_state == "Stable"; }));
    const auto group = two.describe();
    EXPECT_EQ(group.error_code, ErrorCode::none);
    EXPECT_EQ(group.assignor_name, "uniform");
    EXPECT_EQ(group.group_epoch, group.assignment_epoch);
    EXPECT_EQ(group.authorized_operations, 0b1101'0100'1000);
    ASSERT_EQ(group.members.size(), 2u);
    EXPECT_EQ(group.members[0].client_id, "test");
    EXPECT_EQ(group.members[0].client_host, "/127.0.0.1");
    EXPECT_EQ(group.members[0].member_type, 1) << "not a classic one";
    EXPECT_EQ(group.members[0].assignment.topic_partitions.at(0).topic_name, "t");
    EXPECT_EQ(one.describe(0).members.at(0).member_type, -1) << "version 0 does not tell";

    EXPECT_EQ(two.committed("t", 0), 7);
    EXPECT_EQ(one.leave().member_epoch, -1);
    EXPECT_EQ(one.beat().error_code, ErrorCode::unknown_member_id);
    EXPECT_TRUE(beat_until({&two}, [&] { return two.partitions() == 4; }));
    const auto list = client.call<wire::ListGroupsResponse>(
        wire::ListGroupsRequest{.types_filter = {"Consumer"}}, 5);
    ASSERT_EQ(list.groups.size(), 1u);
    EXPECT_EQ(list.groups[0].group_type, "consumer");
}

TEST(ConsumerGroups, ABrokerGivesMembersOfVersion0TheirIds) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    ConsumerMember member{broker.port(), "g", ""};
    EXPECT_EQ(member.join({"t"}).error_code, ErrorCode::none);
    EXPECT_EQ(member.id().size(), 36u) << "as Java writes them: " << member.id();
}

TEST(ConsumerGroups, MembersFollowTopicsThatGrowComeAndGo) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "orders-1", 1), ErrorCode::none);
    ConsumerMember named{broker.port(), "named", "one"}, other{broker.port(), "pattern", "two"};
    named.join({"orders-1", "orders-2"});
    other.join_by_pattern("orders-.*");
    ASSERT_TRUE(beat_until({&named, &other},
                           [&] { return named.partitions() == 1 && other.partitions() == 1; }));

    const wire::CreatePartitionsRequest grow{.topics = {{"orders-1", 3}}, .timeout_ms = 10'000};
    ASSERT_EQ(client.call<wire::CreatePartitionsResponse>(grow, 3).results.at(0).error_code,
              ErrorCode::none);
    EXPECT_TRUE(beat_until({&named, &other},
                           [&] { return named.partitions() == 3 && other.partitions() == 3; }));

    ASSERT_EQ(create_topic(client, "orders-2", 2), ErrorCode::none);
    ASSERT_EQ(create_topic(client, "bills", 2), ErrorCode::none);
    EXPECT_TRUE(beat_until({&named, &other},
                           [&] { return named.partitions() == 5 && other.partitions() == 5; }));

    wire::DeleteTopicsRequest gone{.timeout_ms = 10'000};
    gone.topics.push_back({.name = "orders-1"});
    ASSERT_EQ(client.call<wire::DeleteTopicsResponse>(gone, 6).responses.at(0).error_code,
              ErrorCode::none);
    EXPECT_TRUE(beat_until({&named, &other},
                           [&] { return named.partitions() == 2 && other.partitions() == 2; }));
}

TEST(ConsumerGroups, MembersChooseAmongTheAssignorsThatTheFileNames) {
    BrokerUnderTest broker{coordinator +
                           "consumer_assignors = [\"far\", \"range\"]\n"
                           "[assignment.far]\nplugin = \"uniform\"\n"};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 4), ErrorCode::none);
    ConsumerMember one{broker.port(), "g", "one"}, two{broker.port(), "g", "two"};
    const auto refused = one.join({"t"}, {.server_assignor = "uniform"});
    EXPECT_EQ(refused.error_code, ErrorCode::unsupported_assignor);
    EXPECT_NE(refused.error_message.value_or("").find("far, range"), std::string::npos);
    one.join({"t"});
    EXPECT_EQ(one.describe().assignor_name, "far");
    two.join({"t"}, {.server_assignor = "range"});
    EXPECT_EQ(one.describe().assignor_name, "range");
    ASSERT_TRUE(
        beat_until({&one, &two}, [&] { return one.partitions() == 2 && two.partitions() == 2; }));
    EXPECT_EQ(one.owned().begin()->second, (std::set<std::int32_t>{0, 1}));
    EXPECT_EQ(two.owned().begin()->second, (std::set<std::int32_t>{2, 3}));
}

TEST(ConsumerGroups, TheOperatorsAssignorGoesBeforeTheirChoice) {
    BrokerUnderTest broker{two_shards + "[groups.\"g*\"]\nassignor = \"range\"\n"};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    ConsumerMember member{broker.port(), "g", "one"};
    member.join({"t"}, {.server_assignor = "uniform"});
    EXPECT_EQ(member.describe().assignor_name, "range");
    EXPECT_TRUE(beat_until({&member}, [&] { return member.partitions() == 1; }));
}

TEST(ConsumerGroups, TheFileSaysWhetherAClassicGroupWithMembersBecomesOne) {
    for (const std::string policy : {"disabled", "upgrade", "downgrade", "bidirectional"}) {
        BrokerUnderTest broker{coordinator + "initial_rebalance_delay = \"0s\"\n" +
                               "consumer_migration = \"" + policy + "\"\n"};
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        ConsumerMember member{broker.port(), "g", "one"};
        const auto subscription = wire::encode_subscription({.topics = {"t"}}, 1);
        ASSERT_TRUE(subscription);
        const wire::JoinGroupRequest classic{.group_id = "g",
                                             .session_timeout_ms = 30'000,
                                             .rebalance_timeout_ms = 30'000,
                                             .protocol_type = "consumer",
                                             .protocols = {{"range", *subscription}}};
        ASSERT_EQ(client.call<wire::JoinGroupResponse>(classic, 3).error_code, ErrorCode::none);
        const bool allowed = policy == "upgrade" || policy == "bidirectional";
        EXPECT_EQ(member.join({"t"}).error_code,
                  allowed ? ErrorCode::none : ErrorCode::group_id_not_found)
            << policy;
        EXPECT_EQ(member.describe().members.size(), allowed ? 2u : 0u) << policy;
    }
}

TEST(ConsumerGroups, TheFileSetsTheirTimesAndTheirNumber) {
    BrokerUnderTest broker{coordinator +
                           "consumer_session_timeout = \"1s\"\n"
                           "consumer_heartbeat_interval = \"100ms\"\n"
                           "most_consumer_members = 1\n"};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    ConsumerMember one{broker.port(), "g", "one"}, two{broker.port(), "g", "two"};
    EXPECT_EQ(one.join({"t"}).heartbeat_interval_ms, 100);
    EXPECT_EQ(two.join({"t"}).error_code, ErrorCode::group_max_size_reached);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (two.join({"t"}).error_code == ErrorCode::group_max_size_reached) {
        ASSERT_LT(std::chrono::steady_clock::now(), end) << "a silent member stays";
    }
    EXPECT_EQ(one.beat().error_code, ErrorCode::unknown_member_id) << "its session ended";

    wire::DescribeConfigsRequest request;
    request.resources.push_back(
        {4, "1",
         std::vector<std::string>{"group.consumer.assignors", "group.consumer.max.size",
                                  "group.consumer.heartbeat.interval.ms",
                                  "group.consumer.migration.policy",
                                  "group.consumer.session.timeout.ms"}});
    const auto told = client.call<wire::DescribeConfigsResponse>(request, 4);
    std::map<std::string, std::string> values;
    for (const auto& each : told.results.at(0).configs) values[each.name] = each.value.value_or("");
    EXPECT_EQ(values, (std::map<std::string, std::string>{
                          {"group.consumer.assignors", "uniform,range"},
                          {"group.consumer.max.size", "1"},
                          {"group.consumer.heartbeat.interval.ms", "100"},
                          {"group.consumer.migration.policy", "bidirectional"},
                          {"group.consumer.session.timeout.ms", "1000"}}));
}

}  // namespace
}  // namespace leat::app
