// Classic members in a group of KIP-848.
#include <gtest/gtest.h>

#include "tests/groups/migration_bed.h"
#include "tests/groups/offsets.h"

namespace leat::groups {
namespace {

TEST_F(Migration, AClassicGroupBecomesAConsumerGroupWithItsMembersInIt) {
    classic_ones();
    const std::int32_t generation = a.generation;
    EXPECT_EQ(x.join(), ErrorCode::none);
    check_replay();
    const auto group = bed.described();
    EXPECT_EQ(group.group_epoch, generation + 1);
    ASSERT_EQ(group.members.size(), 3u);
    EXPECT_EQ(group.members[0].member_id, a.id);
    EXPECT_EQ(group.members[0].member_type, 0);
    EXPECT_EQ(group.members[0].member_epoch, generation);
    EXPECT_EQ(group.members[0].subscribed_topic_names, std::vector<std::string>{"t"});
    EXPECT_EQ(group.members[0].assignment.topic_partitions.at(0).partitions,
              (std::vector<std::int32_t>{0, 2}));
    EXPECT_EQ(group.members[2].member_type, 1);

    EXPECT_EQ(a.beat(), ErrorCode::none) << "nobody is disturbed before there is a new target";
    bed.assign();
    EXPECT_EQ(a.beat(), ErrorCode::rebalance_in_progress);
    all_go_on();
    EXPECT_EQ(bed.described().group_state, "Stable");
    EXPECT_EQ(a.of(1), Partitions{0});
    EXPECT_EQ(b.of(1), Partitions{1});
    EXPECT_EQ(x.of(1), Partitions{2});
    EXPECT_EQ(a.generation, x.epoch);
}

TEST_F(Migration, WhoWaitsInTheClassicGroupIsAskedToJoinAgain) {
    classic_ones();
    const Ticket waiting = bed.join(a.request());
    EXPECT_FALSE(bed.answered(waiting));
    x.join();
    const auto answer = bed.joined(waiting);
    EXPECT_EQ(answer.error_code, ErrorCode::rebalance_in_progress);
    EXPECT_EQ(answer.member_id, a.id);
    a.to_join = true;
    all_go_on();
    EXPECT_EQ(bed.described().group_state, "Stable");
    EXPECT_EQ(a.of(1).size() + b.of(1).size() + x.of(1).size(), 3u);
}

TEST_F(Migration, AGroupWithoutAGenerationIsUpgradedToo) {
    bed.limits.initial_rebalance_delay = 3s;
    a.join();
    ASSERT_TRUE(a.joining);
    EXPECT_EQ(x.join(), ErrorCode::none);
    a.take();
    EXPECT_TRUE(a.to_join);
    a.join();
    bed.assign();
    a.take();
    EXPECT_EQ(a.generation, bed.described().group_epoch);
    all_go_on();
    EXPECT_EQ(a.of(1).size() + x.of(1).size(), 3u);
}

TEST_F(Migration, JoiningWaitsForTheAssignor) {
    x.join();
    bed.assign();
    x.beat();
    a.join();
    EXPECT_TRUE(a.joining) << "no answer while the assignor is asked";
    bed.pass(30s);
    EXPECT_TRUE(a.joining) << "who waits does not time out";
    bed.assign();
    a.take();
    EXPECT_EQ(a.generation, 3);
    a.sync();
    EXPECT_TRUE(a.of(1).empty()) << "the other has not given back yet";
    EXPECT_EQ(a.beat(), ErrorCode::none);
    x.beat();
    x.revoke();
    x.beat();
    EXPECT_EQ(a.beat(), ErrorCode::rebalance_in_progress) << "there is something to fetch";
    all_go_on();
    EXPECT_EQ(a.of(1), (Partitions{0, 2}));
}

TEST_F(Migration, AnAssignorThatFailsLeavesNobodyWaiting) {
    x.join();
    bed.assign();
    a.join();
    auto failed = bed.outcome();
    failed.assignment = sdk::Error{sdk::Errc::internal, "it failed"};
    bed.tell(failed);
    a.take();
    EXPECT_EQ(a.last, ErrorCode::none);
    EXPECT_EQ(a.generation, 2) << "of the target that there is";
    a.sync();
    EXPECT_EQ(a.last, ErrorCode::none);
    EXPECT_TRUE(bed.asked.empty());
    EXPECT_EQ(a.beat(), ErrorCode::none);
    EXPECT_EQ(bed.asked.size(), 1u) << "a heartbeat asks again";
}

TEST_F(Migration, ACooperativeMemberGivesBackBeforeAnotherGets) {
    ClassicConsumer c{bed, cooperative};
    for (int round = 0; round < 3; ++round) c.go_on();
    EXPECT_EQ(c.of(1).size(), 3u);
    x.join();
    bed.assign();
    const std::int32_t before = c.generation;
    EXPECT_EQ(c.beat(), ErrorCode::rebalance_in_progress);
    c.join();
    EXPECT_EQ(c.generation, before) << "it holds what the target takes";
    c.sync();
    EXPECT_EQ(c.told->at(topic_id(1)).size(), 2u);
    x.beat();
    EXPECT_TRUE(x.of(1).empty());
    c.revoke();
    c.join();
    EXPECT_EQ(c.generation, bed.described().group_epoch);
    x.beat();
    EXPECT_EQ(x.of(1).size(), 1u);
}

TEST_F(Migration, WhatACooperativeGroupIsHandingOverStaysWithItsHolder) {
    ClassicConsumer c{bed, cooperative};
    ClassicConsumer d{bed, cooperative};
    for (int round = 0; round < 3; ++round) c.go_on();
    d.join();
    c.beat();
    c.join();
    d.take();
    c.sync();
    d.sync();
    c.take();
    d.take();
    ASSERT_EQ(c.of(1).size(), 3u) << "it has not given back yet";
    ASSERT_EQ(c.told->at(topic_id(1)).size(), 2u);
    x.join();
    for (int round = 0; round < 3; ++round) {
        bed.assign();
        x.beat();
        for (const std::int32_t each : x.of(1)) EXPECT_FALSE(c.of(1).contains(each)) << each;
    }
    for (int round = 0; round < 6; ++round) {
        c.revoke();
        c.go_on();
        d.go_on();
        x.beat();
        x.revoke();
    }
    EXPECT_EQ(c.of(1).size(), 1u);
    EXPECT_EQ(d.of(1).size(), 1u);
    EXPECT_EQ(x.of(1).size(), 1u);
}

TEST_F(Migration, ClassicMembersGoOnAfterAFailover) {
    classic_ones(true);
    x.join();
    all_go_on();
    bed.fail_over();
    EXPECT_EQ(a.beat(), ErrorCode::none);
    EXPECT_EQ(x.beat(), ErrorCode::none);
    bed.pass(9s);
    EXPECT_EQ(a.beat(), ErrorCode::none);
    bed.pass(11s);
    EXPECT_EQ(bed.described().members.size(), 1u) << "its own session, not the new protocol's";
}

TEST_F(Migration, WhoIsToldToJoinHasTheRebalanceTimeout) {
    classic_ones();
    x.join();
    bed.assign();
    for (int i = 0; i < 14; ++i) {
        bed.pass(5s);
        x.beat();
        a.beat();  // It beats, and does not join.
        if (i == 10) {
            EXPECT_FALSE(a.id.empty());
        }
    }
    EXPECT_TRUE(a.id.empty()) << "unknown by now";
}

TEST_F(Migration, WhoJoinedHasTheRebalanceTimeoutToSync) {
    classic_ones(true);
    x.join();
    bed.assign();
    a.beat();
    a.join();
    ASSERT_TRUE(a.to_sync);
    for (int i = 0; i < 14; ++i) {
        bed.pass(5s);
        x.beat();
        a.beat();
    }
    EXPECT_TRUE(a.id.empty());
}

TEST_F(Migration, ClassicMembersCommitInAnyVersionAndByTheirGeneration) {
    classic_ones(true);
    const std::int32_t before = a.generation;
    x.join();
    all_go_on();
    EXPECT_EQ(commit(bed, {.member = a.id, .generation = a.generation, .version = 8}),
              ErrorCode::none);
    EXPECT_EQ(commit(bed, {.member = a.id, .generation = before, .version = 8}), ErrorCode::none)
        << "partition 0 was its own then";
    EXPECT_EQ(commit(bed, {.member = a.id, .generation = a.generation + 1, .version = 8}),
              ErrorCode::illegal_generation);
    EXPECT_EQ(commit(bed, {.member = "x", .generation = x.epoch, .version = 8}),
              ErrorCode::unsupported_version);
}

TEST_F(Migration, SyncIsRefusedForWhatDoesNotFit) {
    classic_ones(true);
    x.join();
    bed.assign();
    a.beat();
    a.join();
    auto request = sync_request(a.id, a.generation);
    request.protocol_name = "sticky";
    EXPECT_EQ(bed.synced(bed.sync(request)).error_code, ErrorCode::inconsistent_group_protocol);
    EXPECT_EQ(bed.synced(bed.sync(sync_request(a.id, a.generation - 1))).error_code,
              ErrorCode::illegal_generation);
    EXPECT_EQ(bed.synced(bed.sync(sync_request("x", x.epoch))).error_code,
              ErrorCode::unknown_member_id);
    y.join();
    bed.assign();
    EXPECT_EQ(bed.synced(bed.sync(sync_request(a.id, a.generation))).error_code,
              ErrorCode::rebalance_in_progress);
}

TEST_F(Migration, WhoWasPutOutDoesNotComeBackWithWhatItHad) {
    ClassicConsumer c{bed, cooperative};
    for (int round = 0; round < 3; ++round) c.go_on();
    x.join();
    for (int i = 0; i < 3; ++i) {
        bed.pass(5s);
        x.beat();
    }
    ASSERT_EQ(bed.described().members.size(), 1u);
    EXPECT_EQ(bed.joined(bed.join(c.request())).error_code, ErrorCode::unknown_member_id);
    c.owned.clear();
    EXPECT_NE(bed.joined(bed.join(c.request())).error_code, ErrorCode::unknown_member_id);
}

TEST_F(Migration, ProtocolsMustSuitAllClassicMembers) {
    classic_ones(true);
    x.join();
    ClassicConsumer other{bed, cooperative};
    other.join();
    EXPECT_EQ(other.last, ErrorCode::inconsistent_group_protocol);
    auto connect = join_request("");
    connect.protocol_type = "connect";
    EXPECT_EQ(bed.joined(bed.join(connect)).error_code, ErrorCode::inconsistent_group_protocol);
    auto junk = join_request("new");
    junk.protocols = {{"range", bytes_of("x")}};
    EXPECT_EQ(bed.joined(bed.join(junk)).error_code, ErrorCode::inconsistent_group_protocol);
}

}  // namespace
}  // namespace leat::groups
