// Groups at brokers of other ages and kinds than ours.
#include "core/client/groups.h"

#include <gtest/gtest.h>

#include <atomic>

#include "core/wire/messages/consumer_group_describe.h"
#include "core/wire/messages/describe_groups.h"
#include "core/wire/messages/find_coordinator.h"
#include "core/wire/messages/list_groups.h"
#include "core/wire/messages/offset_fetch.h"
#include "tests/client/fake_broker.h"

namespace leat::client {
namespace {

using sdk::Errc;
using wire::ErrorCode;

class GroupsTest : public testing::Test {
protected:
    // `versions` of FindCoordinator: one key below 4, several from there on.
    void serve_coordinator(wire::Versions versions, int refusals = 0) {
        broker.serve<wire::MetadataResponse, wire::MetadataRequest>(
            [this](const wire::MetadataRequest&) { return broker.metadata("t", 1); });
        broker.serve<wire::FindCoordinatorResponse, wire::FindCoordinatorRequest>(
            [this, refusals](const wire::FindCoordinatorRequest& asked) {
                const auto code =
                    ++looked <= refusals ? ErrorCode::coordinator_not_available : ErrorCode::none;
                wire::FindCoordinatorResponse response;
                if (asked.coordinator_keys.empty()) {
                    EXPECT_EQ(asked.key, "g");
                    response.error_code = code;
                    response.node_id = 1;
                } else {
                    response.coordinators.push_back({.key = "g", .node_id = 1, .error_code = code});
                }
                return response;
            },
            versions);
    }
    void serve_classic(const std::string& state, wire::Versions versions) {
        broker.serve<wire::DescribeGroupsResponse, wire::DescribeGroupsRequest>(
            [state](const wire::DescribeGroupsRequest&) {
                wire::DescribeGroupsResponse response;
                response.groups.push_back(
                    {.group_id = "g", .group_state = state, .protocol_type = "connect"});
                return response;
            },
            versions);
    }
    void serve_consumer(ErrorCode code) {
        broker.serve<wire::ConsumerGroupDescribeResponse, wire::ConsumerGroupDescribeRequest>(
            [code](const wire::ConsumerGroupDescribeRequest&) {
                wire::ConsumerGroupDescribeResponse response;
                auto& group = response.groups.emplace_back();
                group.error_code = code;
                group.group_id = "g";
                group.group_state = "Reconciling";
                group.assignor_name = "uniform";
                auto& member = group.members.emplace_back();
                member.member_id = "m";
                member.member_epoch = 7;
                member.subscribed_topic_regex = "t.*";
                member.assignment.topic_partitions.push_back(
                    {.topic_name = "t", .partitions = {1}});
                member.target_assignment.topic_partitions.push_back(
                    {.topic_name = "t", .partitions = {2, 0}});
                return response;
            });
    }
    Cluster cluster() {
        return Cluster{{{"127.0.0.1", broker.port()}}, std::chrono::milliseconds{20'000}, watch};
    }

    Watch watch;
    std::atomic<int> looked = 0;
    FakeBroker broker;
};

TEST_F(GroupsTest, AGroupOfTheNewProtocolIsDescribedByWhatItIsToHave) {
    serve_coordinator({4, 6});
    serve_consumer(ErrorCode::none);
    broker.start();
    auto asked = cluster();
    const auto group = describe_group(asked, "g");
    ASSERT_TRUE(group) << group.error().what;
    EXPECT_EQ(group->type, "consumer");
    EXPECT_EQ(group->state, "Reconciling");
    EXPECT_EQ(group->assignor, "uniform");
    ASSERT_EQ(group->members.size(), 1u);
    EXPECT_EQ(group->members[0].epoch, 7);
    EXPECT_EQ(group->members[0].pattern, "t.*");
    EXPECT_EQ(group->members[0].assigned, (TopicPartitions{{"t", {0, 2}}}));
    EXPECT_EQ(group->members[0].owned, (TopicPartitions{{"t", {1}}}));
}

TEST_F(GroupsTest, OneThatIsNotOfItIsAskedAboutTheOtherWay) {
    serve_coordinator({4, 6});
    serve_consumer(ErrorCode::group_id_not_found);
    serve_classic("Stable", {0, 6});
    broker.start();
    auto asked = cluster();
    const auto group = describe_group(asked, "g");
    ASSERT_TRUE(group) << group.error().what;
    EXPECT_EQ(group->type, "classic");
    EXPECT_EQ(group->protocol_type, "connect");
    EXPECT_EQ(group->coordinator, 1);
}

TEST_F(GroupsTest, AnOldBrokerSaysDeadOfAGroupThatIsNotThere) {
    serve_coordinator({0, 3}, 2);
    serve_classic("Dead", {0, 5});
    broker.start();
    auto asked = cluster();
    const auto group = describe_group(asked, "g");
    ASSERT_FALSE(group);
    EXPECT_EQ(group.error().code, Errc::not_found);
    EXPECT_EQ(looked, 4) << "twice in vain, then once for each way of asking";
}

TEST_F(GroupsTest, OffsetsOfAnOldBrokerAreThoseOfOneGroup) {
    serve_coordinator({0, 3});
    broker.serve<wire::OffsetFetchResponse, wire::OffsetFetchRequest>(
        [](const wire::OffsetFetchRequest& fetched) {
            EXPECT_EQ(fetched.group_id, "g");
            EXPECT_FALSE(fetched.topics) << "all of them";
            wire::OffsetFetchResponse response;
            auto& topic = response.topics.emplace_back();
            topic.name = "t";
            topic.partitions.push_back({.partition_index = 0, .committed_offset = 7});
            topic.partitions.push_back({.partition_index = 1, .committed_offset = -1});
            return response;
        },
        {1, 7});
    broker.start();
    auto asked = cluster();
    const auto offsets = committed_offsets(asked, "g");
    ASSERT_TRUE(offsets) << offsets.error().what;
    EXPECT_EQ(*offsets, (GroupOffsets{{"t", {{0, 7}}}}));
}

TEST_F(GroupsTest, AFilterThatABrokerIsTooOldForIsRefused) {
    serve_coordinator({4, 6});
    broker.serve<wire::ListGroupsResponse, wire::ListGroupsRequest>(
        [](const wire::ListGroupsRequest&) { return wire::ListGroupsResponse{}; }, {0, 4});
    broker.start();
    auto asked = cluster();
    EXPECT_TRUE(list_groups(asked, {.states = {"Stable"}, .types = {}}));
    const auto refused = list_groups(asked, {.states = {}, .types = {"classic"}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unsupported);
}

}  // namespace
}  // namespace leat::client
