#include "tests/groups/offsets.h"

#include <gtest/gtest.h>

#include "core/wire/consumer_protocol.h"

namespace leat::groups {
namespace {

ErrorCode delete_offset(Bed& bed, const std::string& topic) {
    wire::OffsetDeleteRequest request{.group_id = "g"};
    request.topics.push_back({.name = topic});
    request.topics[0].partitions.push_back({0});
    wire::OffsetDeleteResponse response;
    bed.decide([&](Effects& e) { response = bed.machine->delete_offsets(request, e); });
    if (response.error_code != ErrorCode::none) return response.error_code;
    return response.topics.at(0).partitions.at(0).error_code;
}

void expire(Bed& bed, std::chrono::hours after) {
    bed.pass(after);
    bed.decide([&](Effects& e) { bed.machine->expire_offsets(bed.now.wall, e); });
}

// As stable_pair(), of consumers that subscribe to "t".
void subscribed_pair(Bed& bed) {
    auto request = join_request();
    wire::ConsumerProtocolSubscription subscription;
    subscription.topics = {"t"};
    const auto metadata = *wire::encode_subscription(subscription, 3);
    for (auto& protocol : request.protocols) protocol.metadata = metadata;
    const JoiningClient old{.client_id = "app", .must_bring_id = false};
    bed.join(request, old);
    bed.join(request, old);
    bed.pass(6s);
    bed.sync(sync_request("app-2", 1));
    bed.sync(sync_request("app-1", 1));
}

TEST(AnOffset, ComesBackAsItWasCommitted) {
    Bed bed;
    commit(bed, {});
    bed.fail_over();
    const auto found = fetch(bed, "t", 0);
    EXPECT_EQ(found.committed_offset, 42);
    EXPECT_EQ(found.committed_leader_epoch, 3);
    EXPECT_EQ(found.metadata, "kept");
}

TEST(AnOffset, ThatWasNeverCommittedIsMinusOneWithEmptyText) {
    Bed bed;
    const auto found = fetch(bed, "t", 7);
    EXPECT_EQ(found.committed_offset, -1);
    EXPECT_EQ(found.committed_leader_epoch, -1);
    EXPECT_EQ(found.metadata, "");
    EXPECT_EQ(found.error_code, ErrorCode::none);
}

TEST(AnOffset, NullTopicsAreAllOfTheGroups) {
    Bed bed;
    commit(bed, {.topic = "t"});
    commit(bed, {.topic = "u"});
    const auto all = bed.machine->fetch_offsets({.group_id = "g"});
    ASSERT_EQ(all.topics.size(), 2u);
    EXPECT_EQ(all.topics[1].name, "u");
    EXPECT_TRUE(bed.machine->fetch_offsets({.group_id = "h"}).topics.empty());
}

TEST(AnOffset, ExpiresAWeekAfterItsGroupBecameEmpty) {
    Bed bed;
    subscribed_pair(bed);
    commit(bed, {.member = "app-1", .generation = 1});
    for (int day = 0; day < 10; ++day) {
        for (int hour = 0; hour < 24 * 720; ++hour) {
            bed.pass(5s);
            bed.heartbeat("app-1", 1);
            bed.heartbeat("app-2", 1);
        }
        expire(bed, 0h);
    }
    EXPECT_EQ(fetched(bed, "t", 0), 42) << "its group lives";
    bed.leave("app-1");
    bed.leave("app-2");
    expire(bed, 24h * 7 - 1h);
    EXPECT_EQ(fetched(bed, "t", 0), 42);
    expire(bed, 1h);
    EXPECT_EQ(fetched(bed, "t", 0), -1);
    EXPECT_EQ(bed.machine->count(), 0u) << "nothing is left of the group";
    EXPECT_TRUE(bed.machine->durable().all().empty());
}

TEST(AnOffset, OfATopicThatNobodySubscribesToExpiresInALivingGroup) {
    Bed bed{{.most_session_timeout = 24h * 30}};
    bed.limits.most_session_timeout = 24h * 24;
    auto request = join_request();
    wire::ConsumerProtocolSubscription subscription;
    subscription.topics = {"t"};
    for (auto& protocol : request.protocols) {
        protocol.metadata = *wire::encode_subscription(subscription, 3);
    }
    request.session_timeout_ms = 20 * 86'400'000;
    bed.join(request, {.client_id = "app", .must_bring_id = false});
    bed.pass(3s);
    bed.sync(sync_request("app-1", 1));
    commit(bed, {.member = "app-1", .generation = 1, .topic = "t"});
    commit(bed, {.member = "app-1", .generation = 1, .topic = "u"});
    expire(bed, 24h * 8);
    EXPECT_EQ(fetched(bed, "t", 0), 42);
    EXPECT_EQ(fetched(bed, "u", 0), -1);
}

TEST(AnOffset, WithoutAGroupExpiresAWeekAfterItsCommit) {
    Bed bed;
    commit(bed, {});
    expire(bed, 24h * 6);
    commit(bed, {.topic = "u"});
    expire(bed, 24h);
    EXPECT_EQ(fetched(bed, "t", 0), -1);
    EXPECT_EQ(fetched(bed, "u", 0), 42);
}

TEST(AnOffset, ExpiresWhenAnOldClientSaidSo) {
    Bed bed;
    commit(bed, {.retention_ms = 3'600'000});
    bed.fail_over();
    expire(bed, 1h);
    EXPECT_EQ(fetched(bed, "t", 0), -1);
}

TEST(AnOffset, GoesWithItsTopic) {
    Bed bed;
    commit(bed, {.topic = "t"});
    commit(bed, {.topic = "u"});
    bed.decide([&](Effects& e) {
        bed.machine->topics_deleted(
            [](const std::string& topic, const sdk::Uuid&) { return topic == "t"; }, e);
    });
    EXPECT_EQ(fetched(bed, "t", 0), -1);
    EXPECT_EQ(fetched(bed, "u", 0), 42);
    bed.fail_over();
    EXPECT_EQ(fetched(bed, "t", 0), -1);
}

TEST(DeletingOffsets, IsForTopicsThatNobodySubscribesTo) {
    Bed bed;
    EXPECT_EQ(delete_offset(bed, "t"), ErrorCode::group_id_not_found);
    subscribed_pair(bed);
    commit(bed, {.member = "app-1", .generation = 1, .topic = "t"});
    commit(bed, {.member = "app-1", .generation = 1, .topic = "u"});
    EXPECT_EQ(delete_offset(bed, "t"), ErrorCode::group_subscribed_to_topic);
    EXPECT_EQ(delete_offset(bed, "u"), ErrorCode::none);
    EXPECT_EQ(fetched(bed, "t", 0), 42);
    EXPECT_EQ(fetched(bed, "u", 0), -1);
}

TEST(DeletingOffsets, OfALivingGroupThatSpeaksAnUnknownLanguageIsRefused) {
    Bed bed;
    stable_pair(bed);
    commit(bed, {.member = "app-1", .generation = 1});
    EXPECT_EQ(delete_offset(bed, "t"), ErrorCode::group_subscribed_to_topic);
    bed.leave("app-1");
    bed.leave("app-2");
    EXPECT_EQ(delete_offset(bed, "t"), ErrorCode::none);
    EXPECT_EQ(fetched(bed, "t", 0), -1);
}

TEST(DeletingAGroup, NeedsItEmptyAndTakesItsOffsets) {
    Bed bed;
    stable_pair(bed);
    commit(bed, {.member = "app-1", .generation = 1});
    const auto deleted = [&] {
        wire::DeleteGroupsResponse::Result result;
        bed.decide([&](Effects& e) { result = bed.machine->delete_group("g", e); });
        return result.error_code;
    };
    EXPECT_EQ(deleted(), ErrorCode::non_empty_group);
    bed.leave("app-1");
    bed.leave("app-2");
    EXPECT_EQ(deleted(), ErrorCode::none);
    EXPECT_EQ(deleted(), ErrorCode::group_id_not_found);
    bed.fail_over();
    EXPECT_EQ(bed.machine->count(), 0u);
    EXPECT_EQ(fetched(bed, "t", 0), -1);
}

TEST(ListingGroups, FiltersByStateAndTypeInAnyCase) {
    Bed bed;
    stable_pair(bed);
    const auto found = [&](wire::ListGroupsRequest request) {
        std::vector<wire::ListGroupsResponse::Group> groups;
        bed.machine->list_groups(request, groups);
        return groups.size();
    };
    EXPECT_EQ(found({}), 1u);
    EXPECT_EQ(found({.states_filter = {"stable"}}), 1u);
    EXPECT_EQ(found({.states_filter = {"Empty"}}), 0u);
    EXPECT_EQ(found({.types_filter = {"Classic"}}), 1u);
    EXPECT_EQ(found({.types_filter = {"consumer"}}), 0u);
}

TEST(DescribingAGroup, ShowsMetadataOnlyWhenItIsStable) {
    Bed bed;
    EXPECT_EQ(bed.machine->describe_group("g").error_code, ErrorCode::group_id_not_found);
    stable_pair(bed);
    auto described = bed.machine->describe_group("g");
    EXPECT_EQ(described.protocol_data, "range");
    ASSERT_EQ(described.members.size(), 2u);
    EXPECT_EQ(described.members[1].member_assignment, bytes_of("b"));
    EXPECT_EQ(described.members[1].member_metadata, bytes_of("as range"));
    EXPECT_EQ(described.members[1].client_host, "/::1");
    bed.join(join_request("app-1"));
    described = bed.machine->describe_group("g");
    EXPECT_EQ(described.group_state, "PreparingRebalance");
    EXPECT_EQ(described.protocol_data, "");
    EXPECT_TRUE(described.members[1].member_metadata.empty());
    EXPECT_EQ(described.members[1].member_assignment, bytes_of("b")) << "until there is another";
}

TEST(AnOffset, IsKeptForTheGroupWithoutAName) {
    Bed bed;
    wire::OffsetCommitRequest request{.generation_id_or_member_epoch = -1};
    request.topics.push_back({.name = "t"});
    request.topics[0].partitions.push_back({.committed_offset = 42});
    bed.decide([&](Effects& e) {
        const auto answer = bed.machine->commit_offsets(request, 9, bed.now, e);
        EXPECT_EQ(answer.topics.at(0).partitions.at(0).error_code, ErrorCode::none);
    });
    wire::OffsetFetchRequest::Group asked;
    asked.topics.emplace().push_back({.name = "t", .partition_indexes = {0}});
    const auto found = bed.machine->fetch_offsets(asked);
    EXPECT_EQ(found.topics.at(0).partitions.at(0).committed_offset, 42);
    bed.decide([&](Effects& e) {
        EXPECT_EQ(bed.machine->delete_group("", e).error_code, ErrorCode::none);
    });
    EXPECT_EQ(bed.machine->describe_group("").error_code, ErrorCode::group_id_not_found);
}

}  // namespace
}  // namespace leat::groups
