// Static membership: KIP-345, KIP-814.
#include <gtest/gtest.h>

#include "tests/groups/bed.h"

namespace leat::groups {
namespace {

// "one" leads as "one-1", "two" follows as "two-2", in generation 1.
void stable_statics(Bed& bed) {
    bed.join(join_request({}, "one"));
    bed.join(join_request({}, "two"));
    bed.pass(6s);
    bed.sync(sync_request("two-2", 1));
    bed.sync(sync_request("one-1", 1, {{"one-1", bytes_of("a")}, {"two-2", bytes_of("b")}}));
    bed.answers.clear();
}

TEST(AStaticMember, ComesBackWithoutARebalance) {
    Bed bed;
    stable_statics(bed);
    const auto joined = bed.joined(bed.join(join_request({}, "two")));
    EXPECT_EQ(joined.error_code, ErrorCode::none);
    EXPECT_EQ(joined.member_id, "two-3");
    EXPECT_EQ(joined.generation_id, 1);
    EXPECT_EQ(joined.leader, "one-1");
    EXPECT_EQ(bed.synced(bed.sync(sync_request("two-3", 1))).assignment, bytes_of("b"));
    EXPECT_EQ(bed.heartbeat("one-1", 1), ErrorCode::none);
}

TEST(AStaticMember, FencesItsOldSelf) {
    Bed bed;
    stable_statics(bed);
    bed.join(join_request({}, "two"));
    EXPECT_EQ(bed.heartbeat("two-2", 1, "two"), ErrorCode::fenced_instance_id);
    EXPECT_EQ(bed.heartbeat("two-2", 1), ErrorCode::unknown_member_id);
    EXPECT_EQ(bed.joined(bed.join(join_request("two-2", "two"))).error_code,
              ErrorCode::fenced_instance_id);
    EXPECT_EQ(bed.leave("two-2", "two"), ErrorCode::fenced_instance_id);
    EXPECT_EQ(bed.heartbeat("two-3", 1, "two"), ErrorCode::none);
}

TEST(AStaticMember, ThatLeadsComesBackAndIsToldToSkipAssigning) {
    Bed bed;
    stable_statics(bed);
    const auto joined = bed.joined(bed.join(join_request({}, "one")));
    EXPECT_EQ(joined.leader, "one-3");
    EXPECT_TRUE(joined.skip_assignment);
    EXPECT_EQ(joined.members.size(), 2u);
}

TEST(AStaticMember, ThatLeadsAndCannotSkipIsNotToldThatItLeads) {
    Bed bed;
    stable_statics(bed);
    const auto joined = bed.joined(
        bed.join(join_request({}, "one"), {.client_id = "app", .skips_assignment = false}));
    EXPECT_EQ(joined.leader, "one-1") << "its old id";
    EXPECT_FALSE(joined.skip_assignment);
    EXPECT_TRUE(joined.members.empty());
}

TEST(AStaticMember, KeepsItsNewIdOverAFailover) {
    Bed bed;
    stable_statics(bed);
    bed.join(join_request({}, "two"));
    bed.fail_over();
    EXPECT_EQ(bed.heartbeat("two-3", 1, "two"), ErrorCode::none);
    EXPECT_EQ(bed.heartbeat("two-2", 1, "two"), ErrorCode::fenced_instance_id);
}

TEST(AStaticMember, FiftyOfThemRestartOneAfterAnotherWithoutARebalance) {
    Bed bed;
    for (int i = 0; i < 50; ++i) bed.join(join_request({}, "i" + std::to_string(i)));
    bed.pass(6s);
    const std::string leader = "i0-1";
    std::vector<std::string> ids;
    for (int i = 0; i < 50; ++i) {
        ids.push_back("i" + std::to_string(i) + "-" + std::to_string(i + 1));
    }
    for (const auto& id : ids) bed.sync(sync_request(id, 1));
    for (int i = 0; i < 50; ++i) {
        const auto joined = bed.joined(bed.join(join_request({}, "i" + std::to_string(i))));
        EXPECT_EQ(joined.generation_id, 1);
        ids[std::size_t(i)] = joined.member_id;
        for (int k = 0; k < 50; ++k) {
            EXPECT_EQ(bed.heartbeat(ids[std::size_t(k)], 1), ErrorCode::none);
        }
    }
}

TEST(AStaticMember, ThatIsSlowToJoinAgainStaysInTheGroup) {
    Bed bed;
    stable_statics(bed);
    const Ticket leader = bed.join(join_request("one-1", "one"));
    for (int i = 0; i < 30; ++i) {
        bed.pass(2s);
        bed.heartbeat("two-2", 1);
    }
    EXPECT_EQ(bed.joined(leader).members.size(), 2u);
}

TEST(AStaticMember, WithAnotherChoiceOfProtocolsMakesARebalance) {
    Bed bed;
    stable_statics(bed);
    auto request = join_request({}, "two");
    request.protocols = {{"sticky", {}}};
    const Ticket ticket = bed.join(request);
    EXPECT_FALSE(bed.answered(ticket));
    EXPECT_EQ(bed.heartbeat("one-1", 1), ErrorCode::rebalance_in_progress);
}

TEST(AStaticMember, ThatComesBackWhileTheLeaderAssignsMakesARebalance) {
    Bed bed;
    stable_statics(bed);
    bed.join(join_request("one-1", "one"));
    bed.join(join_request("two-2", "two"));
    const Ticket waits = bed.sync(sync_request("two-2", 2));
    const Ticket back = bed.join(join_request({}, "two"));
    EXPECT_EQ(bed.synced(waits).error_code, ErrorCode::fenced_instance_id);
    EXPECT_FALSE(bed.answered(back));
    bed.join(join_request("one-1", "one"));
    EXPECT_EQ(bed.joined(back).generation_id, 3);
}

TEST(AStaticMember, IsRemovedByAnAdministratorWhoKnowsItsName) {
    Bed bed;
    stable_statics(bed);
    EXPECT_EQ(bed.leave("", "two"), ErrorCode::none);
    EXPECT_EQ(bed.leave("", "two"), ErrorCode::unknown_member_id);
    EXPECT_EQ(bed.heartbeat("two-2", 1, "two"), ErrorCode::unknown_member_id);
    EXPECT_EQ(bed.heartbeat("one-1", 1, "one"), ErrorCode::rebalance_in_progress);
}

}  // namespace
}  // namespace leat::groups
