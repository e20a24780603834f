#include <gtest/gtest.h>

#include "tests/groups/bed.h"

namespace leat::groups {
namespace {

TEST(SyncingAGroup, FollowersWaitForTheLeader) {
    Bed bed;
    bed.join(join_request());
    bed.join(join_request());
    bed.join(join_request("app-1"));
    bed.join(join_request("app-2"));
    bed.pass(6s);
    const std::size_t stored = bed.log.size();
    const Ticket follower = bed.sync(sync_request("app-2", 1));
    EXPECT_FALSE(bed.answered(follower));
    const Ticket leader =
        bed.sync(sync_request("app-1", 1, {{"app-1", bytes_of("a")}, {"app-2", bytes_of("b")}}));
    EXPECT_EQ(bed.synced(follower).assignment, bytes_of("b"));
    EXPECT_EQ(bed.synced(leader).assignment, bytes_of("a"));
    EXPECT_EQ(bed.log.size(), stored + 1) << "the generation is stored with the assignments";
    EXPECT_EQ(bed.machine->describe_group("g").group_state, "Stable");
}

TEST(SyncingAGroup, AMemberWithoutAnAssignmentGetsAnEmptyOne) {
    Bed bed;
    stable_pair(bed);
    bed.join(join_request("app-1"));
    bed.join(join_request("app-2"));
    const Ticket follower = bed.sync(sync_request("app-2", 2));
    bed.sync(sync_request("app-1", 2, {{"app-1", bytes_of("all")}, {"stranger", bytes_of("x")}}));
    const auto synced = bed.synced(follower);
    EXPECT_EQ(synced.error_code, ErrorCode::none);
    EXPECT_TRUE(synced.assignment.empty());
}

TEST(SyncingAGroup, StrangersAndOldGenerationsAreRefused) {
    Bed bed;
    EXPECT_EQ(bed.synced(bed.sync(sync_request("app-1", 1))).error_code,
              ErrorCode::unknown_member_id);
    stable_pair(bed);
    EXPECT_EQ(bed.synced(bed.sync(sync_request("x", 1))).error_code, ErrorCode::unknown_member_id);
    EXPECT_EQ(bed.synced(bed.sync(sync_request("app-1", 7))).error_code,
              ErrorCode::illegal_generation);
    auto other = sync_request("app-1", 1);
    other.protocol_name = "sticky";
    EXPECT_EQ(bed.synced(bed.sync(other)).error_code, ErrorCode::inconsistent_group_protocol);
    other = sync_request("app-1", 1);
    other.protocol_type = "connect";
    EXPECT_EQ(bed.synced(bed.sync(other)).error_code, ErrorCode::inconsistent_group_protocol);
}

TEST(SyncingAGroup, ARebalanceSendsBackThoseWhoWait) {
    Bed bed;
    stable_pair(bed);
    bed.join(join_request("app-1"));
    bed.join(join_request("app-2"));
    const Ticket follower = bed.sync(sync_request("app-2", 2));
    bed.leave("app-1");
    EXPECT_EQ(bed.synced(follower).error_code, ErrorCode::rebalance_in_progress);
    EXPECT_EQ(bed.synced(bed.sync(sync_request("app-2", 2))).error_code,
              ErrorCode::rebalance_in_progress);
}

TEST(SyncingAGroup, WhoNeverSyncsIsOutAfterTheRebalanceTimeout) {
    Bed bed;
    stable_pair(bed);
    bed.join(join_request("app-1"));
    bed.join(join_request("app-2"));
    bed.sync(sync_request("app-1", 2, {}));
    for (int i = 0; i < 31; ++i) {
        bed.pass(2s);
        bed.heartbeat("app-1", 2);
        bed.heartbeat("app-2", 2);
    }
    EXPECT_EQ(bed.heartbeat("app-2", 2), ErrorCode::unknown_member_id);
    EXPECT_EQ(bed.heartbeat("app-1", 2), ErrorCode::rebalance_in_progress);
}

TEST(SyncingAGroup, AnAssignmentThatNoRecordCanHoldFailsAndTheGroupGoesOn) {
    Bed bed;
    stable_pair(bed);
    bed.join(join_request("app-1"));
    bed.join(join_request("app-2"));
    const Ticket leader = bed.sync(sync_request("app-1", 2, {{"app-1", wire::Bytes(1'100'000)}}));
    EXPECT_EQ(bed.synced(leader).error_code, ErrorCode::unknown_server_error);
    EXPECT_EQ(bed.heartbeat("app-1", 2), ErrorCode::rebalance_in_progress);
}

TEST(AMembersSession, EndsWithoutHeartbeats) {
    Bed bed;
    stable_pair(bed);
    for (int i = 0; i < 4; ++i) {
        bed.pass(3s);
        bed.heartbeat("app-1", 1);
    }
    EXPECT_EQ(bed.heartbeat("app-2", 1), ErrorCode::unknown_member_id);
    EXPECT_EQ(bed.heartbeat("app-1", 1), ErrorCode::rebalance_in_progress);
}

TEST(AMembersSession, DoesNotEndWhileItWaitsForOthers) {
    Bed bed;
    stable_pair(bed);
    const Ticket waits = bed.join(join_request("app-1"));
    for (int i = 0; i < 25; ++i) {
        bed.pass(2s);
        EXPECT_EQ(bed.heartbeat("app-2", 1), ErrorCode::rebalance_in_progress);
    }
    bed.join(join_request("app-2"));
    EXPECT_EQ(bed.joined(waits).members.size(), 2u);
}

TEST(LeavingAGroup, TheLastOneLeavesItEmpty) {
    Bed bed;
    stable_pair(bed);
    EXPECT_EQ(bed.leave("app-1"), ErrorCode::none);
    EXPECT_EQ(bed.leave("app-1"), ErrorCode::unknown_member_id);
    EXPECT_EQ(bed.leave("app-2"), ErrorCode::none);
    EXPECT_EQ(bed.machine->describe_group("g").group_state, "Empty");
    bed.fail_over();
    const Ticket next = bed.join(join_request(), {.must_bring_id = false});
    bed.pass(3s);
    EXPECT_EQ(bed.joined(next).generation_id, 3) << "generations never begin anew";
}

TEST(LeavingAGroup, AReservedIdCanBeGivenBack) {
    Bed bed;
    bed.join(join_request());
    EXPECT_EQ(bed.leave("app-1"), ErrorCode::none);
    EXPECT_EQ(bed.joined(bed.join(join_request("app-1"))).error_code, ErrorCode::unknown_member_id);
}

TEST(LeavingAGroup, OneThatWaitsToJoinIsToldAndTheOthersGoOn) {
    Bed bed;
    stable_pair(bed);
    const Ticket waits = bed.join(join_request("app-1"));
    bed.leave("app-2");
    const auto joined = bed.joined(waits);
    EXPECT_EQ(joined.generation_id, 2);
    EXPECT_EQ(joined.members.size(), 1u);
}

TEST(AFailover, KeepsGenerationMembersAndAssignments) {
    Bed bed;
    stable_pair(bed);
    bed.fail_over();
    EXPECT_EQ(bed.heartbeat("app-1", 1), ErrorCode::none);
    EXPECT_EQ(bed.heartbeat("app-2", 1), ErrorCode::none);
    EXPECT_EQ(bed.synced(bed.sync(sync_request("app-2", 1))).assignment, bytes_of("b"));
    bed.pass(11s);
    EXPECT_EQ(bed.machine->describe_group("g").group_state, "Empty") << "nobody was heard of";
}

TEST(AFailover, ForgetsARebalanceThatWasUnderWay) {
    Bed bed;
    stable_pair(bed);
    bed.join(join_request("app-1"));
    bed.fail_over();
    EXPECT_EQ(bed.heartbeat("app-2", 1), ErrorCode::none);
    EXPECT_EQ(bed.machine->describe_group("g").group_state, "Stable");
}

}  // namespace
}  // namespace leat::groups
