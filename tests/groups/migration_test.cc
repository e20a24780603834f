// Which groups change their kind with members in them, and which do not.
#include <gtest/gtest.h>

#include "tests/groups/migration_bed.h"

namespace leat::groups {
namespace {

TEST_F(Migration, TheLastMemberThatSpeaksItTakesKip848Away) {
    classic_ones();
    x.join();
    all_go_on();
    const std::int32_t epoch = x.epoch;
    bed.beat(leave_heartbeat("x"));
    check_replay();
    EXPECT_EQ(kind(), "PreparingRebalance");
    EXPECT_EQ(bed.described().error_code, ErrorCode::group_id_not_found);
    EXPECT_EQ(a.beat(), ErrorCode::rebalance_in_progress);
    EXPECT_EQ(b.beat(), ErrorCode::rebalance_in_progress);
    for (int round = 0; round < 4; ++round) {
        a.go_on();
        b.go_on();
    }
    EXPECT_EQ(kind(), "Stable");
    EXPECT_EQ(a.generation, epoch + 1);
    EXPECT_EQ(a.of(1).size() + b.of(1).size(), 3u);
    EXPECT_EQ(x.beat(), ErrorCode::group_id_not_found);
}

TEST_F(Migration, SilenceAndLeaveGroupTakeItAwayAsWell) {
    for (const bool by_silence : {true, false}) {
        bed.log.clear();
        bed.start();
        bed.answers.clear();
        bed.asked.clear();
        bed.machine->topics_changed();
        a.forget();
        classic_ones(true);
        x.join();
        all_go_on();
        for (int i = 0; by_silence && i < 12; ++i) {
            bed.pass(4s);
            if (type() == "consumer") a.go_on();
        }
        if (!by_silence) {
            EXPECT_EQ(bed.leave("x"), ErrorCode::none);
        }
        EXPECT_EQ(type(), "classic") << by_silence;
        check_replay();
    }
}

TEST_F(Migration, AfterAFailoverADowngradedGroupStillRebalances) {
    classic_ones();
    x.join();
    all_go_on();
    bed.beat(leave_heartbeat("x"));
    bed.fail_over();
    EXPECT_EQ(a.beat(), ErrorCode::rebalance_in_progress);
    for (int round = 0; round < 4; ++round) {
        a.go_on();
        b.go_on();
    }
    EXPECT_EQ(kind(), "Stable");
    EXPECT_EQ(a.of(1).size() + b.of(1).size(), 3u) << "and nothing is forgotten";
    bed.fail_over();
    EXPECT_EQ(kind(), "Stable");
    EXPECT_EQ(a.beat(), ErrorCode::none);
}

TEST_F(Migration, PoliciesRefuse) {
    classic_ones(true);
    for (const auto policy : {ConsumerMigration::disabled, ConsumerMigration::downgrade}) {
        bed.limits.consumer_migration = policy;
        EXPECT_EQ(bed.error(join_heartbeat("x")), ErrorCode::group_id_not_found);
        EXPECT_EQ(kind(), "Stable") << "nobody was disturbed";
        EXPECT_EQ(a.beat(), ErrorCode::none);
    }
    bed.limits.consumer_migration = ConsumerMigration::upgrade;
    EXPECT_EQ(x.join(), ErrorCode::none);
    all_go_on();
    bed.limits.consumer_migration = ConsumerMigration::disabled;
    EXPECT_EQ(bed.joined(bed.join(b.request())).error_code, ErrorCode::inconsistent_group_protocol);
    bed.limits.consumer_migration = ConsumerMigration::upgrade;
    bed.beat(leave_heartbeat("x"));
    EXPECT_EQ(type(), "consumer") << "all members are classic ones, and it stays what it is";
    x.epoch = joins;
    all_go_on();
    EXPECT_EQ(a.of(1).size(), 3u);
    b.join();
    EXPECT_NE(b.last, ErrorCode::inconsistent_group_protocol);
    bed.limits.consumer_migration = ConsumerMigration::bidirectional;
    b.leave();
    EXPECT_EQ(type(), "consumer") << "a classic member that goes changes nothing";
}

TEST_F(Migration, AnUpgradeNeedsConsumersThatCanBeUnderstood) {
    bed.limits.most_consumer_members = 1;
    classic_ones();
    EXPECT_EQ(bed.error(join_heartbeat("x")), ErrorCode::group_id_not_found) << "too many";
    bed.limits.most_consumer_members = 2;
    EXPECT_EQ(bed.error(join_heartbeat("x")), ErrorCode::group_max_size_reached);
    EXPECT_EQ(kind(), "Stable");
    EXPECT_EQ(a.beat(), ErrorCode::none);
}

TEST_F(Migration, JunkIsNotUpgraded) {
    const Ticket ticket = bed.join(join_request({}, "i"));
    bed.pass(0ms);
    const auto junk = bed.joined(ticket);
    ASSERT_EQ(junk.error_code, ErrorCode::none);
    EXPECT_EQ(bed.error(join_heartbeat("x")), ErrorCode::group_id_not_found) << "its metadata";
    bed.leave(junk.member_id, "i");
    classic_ones(true);
    a.join();
    bed.synced(bed.sync(sync_request(a.id, a.generation, {{a.id, bytes_of("odd")}})));
    EXPECT_EQ(bed.error(join_heartbeat("x")), ErrorCode::group_id_not_found) << "its assignment";
    const auto with_data = *wire::encode_assignment({.user_data = bytes_of("mine")}, 1);
    a.join();
    bed.synced(bed.sync(sync_request(a.id, a.generation, {{a.id, with_data}})));
    EXPECT_EQ(bed.error(join_heartbeat("x")), ErrorCode::group_id_not_found) << "data to lose";
}

TEST_F(Migration, StaticMembersChangeTheirProtocol) {
    ClassicConsumer s{bed, eager, "i"};
    for (int round = 0; round < 3; ++round) s.go_on();
    EXPECT_EQ(s.of(1).size(), 3u);
    Consumer z{bed, "z", "i"};
    EXPECT_EQ(z.join(), ErrorCode::none) << "it takes the classic one's place";
    ASSERT_EQ(bed.described().members.size(), 1u);
    EXPECT_EQ(bed.described().members[0].member_id, "z");
    bed.assign();
    z.beat();
    EXPECT_EQ(z.of(1).size(), 3u);
    EXPECT_EQ(s.beat(), ErrorCode::fenced_instance_id);

    s.forget();
    s.join();
    EXPECT_EQ(type(), "classic") << "and back, which is the end of KIP-848 in the group";
    check_replay();
    for (int round = 0; round < 3; ++round) s.go_on();
    EXPECT_EQ(kind(), "Stable");
    EXPECT_EQ(s.of(1).size(), 3u);
    EXPECT_EQ(z.beat(), ErrorCode::group_id_not_found);
}

TEST_F(Migration, AStaticClassicMemberIsReplacedInAMixedGroup) {
    ClassicConsumer s{bed, eager, "i"};
    for (int round = 0; round < 3; ++round) s.go_on();
    x.join();
    for (int round = 0; round < 5; ++round) {
        bed.assign();
        s.go_on();
        x.beat();
        x.revoke();
    }
    const std::int32_t epoch = bed.described().group_epoch;
    ClassicConsumer again{bed, eager, "i"};
    again.join();
    ASSERT_EQ(again.last, ErrorCode::none);
    EXPECT_NE(again.id, s.id);
    again.sync();
    EXPECT_EQ(again.of(1), s.of(1));
    EXPECT_EQ(bed.described().group_epoch, epoch) << "its restart is nobody's business";
    EXPECT_EQ(s.beat(), ErrorCode::fenced_instance_id);
}

}  // namespace
}  // namespace leat::groups
