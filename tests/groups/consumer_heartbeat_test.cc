// How members of a group of KIP-848 come, move and go.
#include <gtest/gtest.h>

#include "tests/groups/consumer_bed.h"

namespace leat::groups {
namespace {

using Numbers = std::set<std::int32_t>;

class AConsumerGroup : public testing::Test {
protected:
    AConsumerGroup() { bed.topic("t", 1, 3); }

    std::string state() const { return bed.described().group_state; }

    ConsumerBed bed;
    Consumer one{bed, "one"};
    Consumer two{bed, "two"};
};

TEST_F(AConsumerGroup, GivesItsFirstMemberEverything) {
    EXPECT_EQ(one.join(), ErrorCode::none);
    EXPECT_EQ(one.epoch, 1) << "there is no assignment yet";
    EXPECT_EQ(state(), "Assigning");
    bed.assign();
    EXPECT_EQ(state(), "Reconciling");
    one.beat();
    EXPECT_EQ(one.epoch, 2);
    EXPECT_EQ(one.of(1), (Numbers{0, 1, 2}));
    EXPECT_EQ(state(), "Stable");
    EXPECT_FALSE(bed.beat(one.request()).assignment) << "nothing changed";
    auto all = join_heartbeat("one");
    all.member_epoch = one.epoch;
    EXPECT_TRUE(bed.beat(all).assignment) << "it said all, so it is told all";
}

TEST_F(AConsumerGroup, TakesAPartitionOnlyFromWhoGaveItBack) {
    one.join();
    calm(bed, {&one});
    two.join();
    bed.assign();
    two.beat();
    EXPECT_EQ(two.epoch, 3) << "it has nothing to give back";
    EXPECT_EQ(two.of(1), Numbers{});
    one.beat();
    EXPECT_EQ(one.told, (PartitionSet{{topic_id(1), {0, 2}}}));
    EXPECT_EQ(one.epoch, 2) << "it holds a partition of the epoch before";
    two.beat();
    EXPECT_EQ(two.of(1), Numbers{}) << "the other has not given it back";
    one.beat();
    EXPECT_EQ(one.epoch, 2);
    one.revoke();
    one.beat();
    EXPECT_EQ(one.epoch, 3);
    two.beat();
    EXPECT_EQ(two.of(1), (Numbers{1}));
    EXPECT_EQ(state(), "Stable");
}

TEST_F(AConsumerGroup, PutsOutWhoDoesNotGiveBackInTime) {
    one.join();
    calm(bed, {&one});
    two.join();
    bed.assign();
    one.beat();
    for (int i = 0; i < 29; ++i) {
        bed.pass(1s);
        one.beat();
        two.beat();
    }
    EXPECT_NE(one.epoch, joins);
    bed.pass(1s);
    EXPECT_EQ(one.beat(), ErrorCode::unknown_member_id);
    calm(bed, {&two});
    EXPECT_EQ(two.of(1), (Numbers{0, 1, 2}));
}

TEST_F(AConsumerGroup, ForgetsWhoIsSilentForASession) {
    one.join();
    two.join();
    calm(bed, {&one, &two});
    bed.pass(44s);
    two.beat();
    bed.pass(1s);
    EXPECT_EQ(one.beat(), ErrorCode::unknown_member_id);
    calm(bed, {&two});
    EXPECT_EQ(two.of(1), (Numbers{0, 1, 2}));
}

TEST_F(AConsumerGroup, IsEmptyWhenTheLastOneLeaves) {
    one.join();
    calm(bed, {&one});
    const auto answer = bed.beat(leave_heartbeat("one"));
    EXPECT_EQ(answer.error_code, ErrorCode::none);
    EXPECT_EQ(answer.member_epoch, leaves);
    EXPECT_EQ(bed.error(leave_heartbeat("one")), ErrorCode::unknown_member_id);
    const auto group = bed.described();
    EXPECT_EQ(group.group_state, "Empty");
    EXPECT_EQ(group.group_epoch, 3);
    EXPECT_EQ(group.assignment_epoch, 3);
    EXPECT_TRUE(bed.asked.empty()) << "there is nobody to assign to";
}

TEST_F(AConsumerGroup, FencesEpochsThatAreNotTheMembers) {
    one.join();
    calm(bed, {&one});
    auto request = one.request();
    request.member_epoch = 3;
    EXPECT_EQ(bed.error(request), ErrorCode::fenced_member_epoch);
    request.member_epoch = 1;
    request.topic_partitions.reset();
    EXPECT_EQ(bed.error(request), ErrorCode::fenced_member_epoch) << "it says not what it owns";
    request.topic_partitions = {{topic_id(1), {0, 7}}};
    EXPECT_EQ(bed.error(request), ErrorCode::fenced_member_epoch) << "7 was never its own";
    request.topic_partitions.emplace();
    EXPECT_EQ(bed.beat(request).member_epoch, 2) << "it has not heard of the epoch 2";
    EXPECT_EQ(bed.beat(join_heartbeat("one")).member_epoch, 2) << "it may begin anew";
}

TEST_F(AConsumerGroup, MakesAnIdForWhoBringsNone) {
    EXPECT_EQ(bed.error(join_heartbeat("")), ErrorCode::invalid_request);
    const auto answer = bed.beat(join_heartbeat(""), 0);
    EXPECT_EQ(answer.member_id, "1");
}

TEST_F(AConsumerGroup, RefusesWhatNoMemberSends) {
    const auto wrong = [&](auto change) {
        auto request = join_heartbeat("x");
        change(request);
        return bed.error(request);
    };
    const auto invalid = ErrorCode::invalid_request;
    EXPECT_EQ(wrong([](auto& r) { r.group_id = " "; }), invalid);
    EXPECT_EQ(wrong([](auto& r) { r.instance_id = ""; }), invalid);
    EXPECT_EQ(wrong([](auto& r) { r.rack_id = ""; }), invalid);
    EXPECT_EQ(wrong([](auto& r) { r.rebalance_timeout_ms = -1; }), invalid);
    EXPECT_EQ(wrong([](auto& r) { r.topic_partitions.reset(); }), invalid);
    EXPECT_EQ(wrong([](auto& r) { r.subscribed_topic_names.reset(); }), invalid);
    EXPECT_EQ(wrong([](auto& r) { r.member_epoch = -3; }), invalid);
    EXPECT_EQ(wrong([](auto& r) { r.member_epoch = leaves_for_a_while; }), invalid);
    EXPECT_EQ(wrong([](auto& r) { r.member_epoch = 1; }), ErrorCode::group_id_not_found);
    EXPECT_EQ(wrong([](auto& r) { r.server_assignor = "x"; }), ErrorCode::unsupported_assignor);
    EXPECT_EQ(wrong([](auto& r) { r.subscribed_topic_regex = "("; }),
              ErrorCode::invalid_regular_expression);
    EXPECT_EQ(bed.described().error_code, ErrorCode::group_id_not_found);
}

TEST_F(AConsumerGroup, IsFullAtItsLimit) {
    bed.limits.most_consumer_members = 1;
    one.join();
    EXPECT_EQ(bed.error(join_heartbeat("two")), ErrorCode::group_max_size_reached);
    EXPECT_EQ(one.join(), ErrorCode::none) << "a member may begin anew";
}

TEST_F(AConsumerGroup, KeepsThePlaceOfAStaticMember) {
    Consumer first{bed, "first", "i"};
    first.join();
    calm(bed, {&first});
    EXPECT_EQ(bed.error(join_heartbeat("second", {"t"}, "i")), ErrorCode::unreleased_instance_id);
    EXPECT_EQ(bed.beat(leave_heartbeat("first", leaves_for_a_while, "i")).member_epoch, -2);
    EXPECT_EQ(state(), "Reconciling");
    Consumer second{bed, "second", "i"};
    EXPECT_EQ(second.join(), ErrorCode::none);
    EXPECT_EQ(second.epoch, 2) << "nothing changed for the group";
    EXPECT_EQ(second.of(1), (Numbers{0, 1, 2}));
    EXPECT_TRUE(bed.asked.empty());
    EXPECT_EQ(bed.error(first.request()), ErrorCode::fenced_instance_id);
    EXPECT_EQ(bed.error(leave_heartbeat("first", leaves, "i")), ErrorCode::fenced_instance_id);
    EXPECT_EQ(bed.error(leave_heartbeat("first")), ErrorCode::unknown_member_id);
    EXPECT_EQ(bed.error(leave_heartbeat("x", leaves, "j")), ErrorCode::unknown_member_id);
}

TEST_F(AConsumerGroup, GivesUpAStaticMemberThatDoesNotComeBack) {
    Consumer first{bed, "first", "i"};
    first.join();
    calm(bed, {&first});
    bed.beat(leave_heartbeat("first", leaves_for_a_while, "i"));
    bed.pass(45s);
    EXPECT_EQ(state(), "Empty");
}

TEST_F(AConsumerGroup, IsLeftByTheClassicRequestToo) {
    Consumer first{bed, "first", "i"};
    first.join();
    two.join();
    EXPECT_EQ(bed.leave("two", "i"), ErrorCode::fenced_instance_id);
    EXPECT_EQ(bed.leave("three"), ErrorCode::unknown_member_id);
    EXPECT_EQ(bed.leave("", "i"), ErrorCode::none);
    EXPECT_EQ(bed.leave("two"), ErrorCode::none);
    EXPECT_EQ(state(), "Empty");
}

TEST_F(AConsumerGroup, LivesOnAfterAFailover) {
    one.join();
    two.join();
    calm(bed, {&one, &two});
    const auto before = bed.described();
    bed.fail_over();
    EXPECT_EQ(bed.described(), before);
    EXPECT_EQ(one.beat(), ErrorCode::none);
    EXPECT_TRUE(bed.asked.empty()) << "nothing changed";
    bed.pass(45s);
    EXPECT_EQ(state(), "Empty") << "sessions began when it was loaded";
}

TEST_F(AConsumerGroup, AsksAgainForWhatNobodyAnsweredBeforeAFailover) {
    one.join();
    bed.asked.clear();
    bed.fail_over();
    EXPECT_EQ(state(), "Assigning");
    calm(bed, {&one});
    one.beat();
    calm(bed, {&one});
    EXPECT_EQ(one.of(1), (Numbers{0, 1, 2}));
}

TEST_F(AConsumerGroup, TakesTheGroupOfClassicMembersWhenTheyAreGone) {
    bed.join(join_request());
    bed.join(join_request("app-1"));
    EXPECT_EQ(bed.error(join_heartbeat("one")), ErrorCode::group_id_not_found);
    EXPECT_EQ(bed.leave("app-1"), ErrorCode::none);
    EXPECT_EQ(one.join(), ErrorCode::none);
    EXPECT_FALSE(bed.machine->durable().find("g")->classic);
    bed.beat(leave_heartbeat("one"));
    EXPECT_EQ(bed.joined(bed.join(join_request())).error_code, ErrorCode::member_id_required);
    EXPECT_TRUE(bed.machine->durable().find("g")->consumer.empty());
}

TEST_F(AConsumerGroup, IsDeletedWhenItIsEmpty) {
    one.join();
    Effects effects;
    EXPECT_EQ(bed.machine->delete_group("g", effects).error_code, ErrorCode::non_empty_group);
    bed.beat(leave_heartbeat("one"));
    bed.decide([&](Effects& e) {
        EXPECT_EQ(bed.machine->delete_group("g", e).error_code, ErrorCode::none);
    });
    EXPECT_EQ(bed.machine->durable().find("g"), nullptr) << "all has its tombstone";
    EXPECT_EQ(bed.described().error_code, ErrorCode::group_id_not_found);
}

TEST_F(AConsumerGroup, IsListedWithItsKind) {
    one.join();
    std::vector<wire::ListGroupsResponse::Group> found;
    bed.machine->list_groups({.states_filter = {"assigning"}, .types_filter = {"Consumer"}}, found);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].group_type, "consumer");
    EXPECT_EQ(found[0].protocol_type, "consumer");
    bed.machine->list_groups({.types_filter = {"classic"}}, found);
    EXPECT_EQ(found.size(), 1u);
    EXPECT_EQ(bed.machine->describe_group("g").error_code, ErrorCode::group_id_not_found);
}

}  // namespace
}  // namespace leat::groups
