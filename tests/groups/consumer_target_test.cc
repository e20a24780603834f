// What members of a group of KIP-848 subscribe to, and whom the group asks for an assignment.
#include <gtest/gtest.h>

#include "tests/groups/consumer_bed.h"
#include "tests/groups/offsets.h"

namespace leat::groups {
namespace {

using Numbers = std::set<std::int32_t>;

class ATarget : public testing::Test {
protected:
    ATarget() {
        bed.topic("t", 1, 2);
        bed.topic("u", 2, 1);
    }

    ErrorCode subscribe(Consumer& who, std::optional<std::vector<std::string>> names,
                        std::optional<std::string> pattern = {},
                        std::optional<std::string> assignor = {}) {
        auto request = who.request();
        request.subscribed_topic_names = std::move(names);
        request.subscribed_topic_regex = std::move(pattern);
        request.server_assignor = std::move(assignor);
        return who.hear(bed.beat(request));
    }

    ConsumerBed bed;
    Consumer one{bed, "one"};
    Consumer two{bed, "two"};
};

TEST_F(ATarget, FollowsSubscriptions) {
    one.join();
    calm(bed, {&one});
    subscribe(one, std::vector<std::string>{"u", "u"});
    EXPECT_EQ(bed.described().group_epoch, 3);
    calm(bed, {&one});
    EXPECT_EQ(one.owned, (PartitionSet{{topic_id(2), {0}}}));
    subscribe(one, std::vector<std::string>{"u"});
    EXPECT_EQ(bed.described().group_epoch, 3) << "the same";
    EXPECT_EQ(bed.described().members[0].subscribed_topic_names, std::vector<std::string>{"u"});
}

TEST_F(ATarget, ThatNoRecordHoldsIsNotAskedForAgainBeforeTheNextEpoch) {
    bed.limits.most_record_bytes = 16;  // A member's may have half of it, and a partition takes 8.
    one.join();
    bed.assign();
    EXPECT_EQ(one.beat(), ErrorCode::none);
    EXPECT_TRUE(bed.asked.empty()) << "it would be as large again";
    EXPECT_EQ(one.of(1), Numbers{});
    bed.remove_topic("t");
    bed.topic("t", 9, 1);
    calm(bed, {&one});
    EXPECT_EQ(one.of(9), Numbers{0});
}

TEST_F(ATarget, FollowsTopicsThatGrowGoAndComeAgain) {
    one.join();
    calm(bed, {&one});
    bed.topic("t", 1, 4);
    calm(bed, {&one});
    EXPECT_EQ(one.of(1), (Numbers{0, 1, 2, 3}));
    bed.remove_topic("t");
    calm(bed, {&one});
    EXPECT_EQ(one.owned, PartitionSet{});
    bed.topic("t", 9, 1);
    one.beat();
    calm(bed, {&one});
    EXPECT_EQ(one.owned, (PartitionSet{{topic_id(9), {0}}}));
    const auto epoch = bed.described().group_epoch;
    bed.topic("other", 5, 1);
    calm(bed, {&one});
    EXPECT_EQ(bed.described().group_epoch, epoch) << "nobody subscribes to it";
}

TEST_F(ATarget, FollowsPatterns) {
    bed.topic("__inner", 3, 1, true);
    one.join({});
    subscribe(one, std::nullopt, ".*");
    calm(bed, {&one});
    EXPECT_EQ(one.owned, (PartitionSet{{topic_id(1), {0, 1}}, {topic_id(2), {0}}}));
    bed.topic("later", 4, 1);
    one.beat();
    calm(bed, {&one});
    EXPECT_EQ(one.of(4), Numbers{0});
    EXPECT_EQ(bed.machine->durable().find("g")->consumer.patterns.at(".*").topics,
              (std::vector<std::string>{"later", "t", "u"}));
    subscribe(one, std::nullopt, "u|t");
    calm(bed, {&one});
    EXPECT_EQ(one.of(4), Numbers{});
    EXPECT_EQ(bed.machine->durable().find("g")->consumer.patterns.size(), 1u);
    subscribe(one, std::nullopt, "");
    calm(bed, {&one});
    EXPECT_EQ(one.owned, PartitionSet{});
    EXPECT_TRUE(bed.machine->durable().find("g")->consumer.patterns.empty());
}

TEST_F(ATarget, IsThatOfTheNewestEpochOnly) {
    one.join();
    const auto of_one = bed.outcome();
    two.join();
    EXPECT_TRUE(bed.asked.empty()) << "one question at a time";
    bed.tell(of_one);
    EXPECT_EQ(bed.described().assignment_epoch, 1) << "two is not in it";
    ASSERT_EQ(bed.asked.size(), 1u);
    EXPECT_EQ(bed.asked[0].input.members.size(), 2u);
    const auto of_both = bed.outcome();
    bed.tell(of_one);
    EXPECT_EQ(bed.described().assignment_epoch, 1) << "that was answered before";
    bed.tell(of_both);
    EXPECT_EQ(bed.described().assignment_epoch, 3);
    calm(bed, {&one, &two});
    EXPECT_EQ(one.of(1), Numbers{0});
    EXPECT_EQ(two.of(1), Numbers{1});
}

TEST_F(ATarget, IsAskedForAgainWhenAMemberHasAnotherId) {
    Consumer first{bed, "first", "i"};
    first.join();
    const auto outcome = bed.outcome();
    bed.beat(leave_heartbeat("first", leaves_for_a_while, "i"));
    Consumer second{bed, "second", "i"};
    second.join();
    bed.tell(outcome);
    calm(bed, {&second});
    EXPECT_EQ(second.of(1), (Numbers{0, 1}));
}

TEST_F(ATarget, IsMadeByWhomMostMembersChoose) {
    one.join();
    EXPECT_EQ(bed.asked.at(0).assignor, "uniform");
    bed.assign();
    one.beat();
    subscribe(one, std::nullopt, {}, "range");
    EXPECT_EQ(bed.asked.at(0).assignor, "range");
    EXPECT_EQ(bed.described().assignor_name, "range");
    bed.limits.assignor_for = [](std::string_view) { return "mine"; };
    EXPECT_EQ(bed.described().assignor_name, "mine") << "the operator's";
}

TEST_F(ATarget, StaysWhenTheAssignorFails) {
    one.join();
    calm(bed, {&one});
    subscribe(one, std::vector<std::string>{"u"}, {}, "range");
    const auto fail = [&] {
        auto outcome = bed.outcome();
        outcome.assignment = sdk::Error{sdk::Errc::not_found, "there is none"};
        bed.tell(outcome);
    };
    fail();
    ASSERT_EQ(bed.asked.size(), 1u);
    EXPECT_EQ(bed.asked[0].assignor, "uniform") << "the first of the list instead";
    fail();
    EXPECT_TRUE(bed.asked.empty());
    EXPECT_EQ(bed.notes.size(), 2u);
    EXPECT_EQ(one.of(1), (Numbers{0, 1}));
    one.beat();
    EXPECT_EQ(bed.asked.size(), 1u) << "the next heartbeat asks again";
}

class OffsetsOfConsumers : public ATarget {
protected:
    OffsetsOfConsumers() {
        one.join();
        calm(bed, {&one});  // Epoch 2.
    }

    ErrorCode commit(const std::string& member, std::int32_t epoch, std::int32_t partition = 0,
                     wire::Version version = 9) {
        wire::OffsetCommitRequest request{
            .group_id = "g", .generation_id_or_member_epoch = epoch, .member_id = member};
        request.topics.push_back({.name = "t"});
        request.topics[0].partitions.push_back(
            {.partition_index = partition, .committed_offset = 7});
        wire::OffsetCommitResponse response;
        bed.decide([&](Effects& e) {
            response = bed.machine->commit_offsets(request, version, bed.now, e);
        });
        return response.topics.at(0).partitions.at(0).error_code;
    }
    ErrorCode fetch(std::optional<std::string> member, std::int32_t epoch) {
        wire::OffsetFetchRequest::Group request{
            .group_id = "g", .member_id = std::move(member), .member_epoch = epoch};
        return bed.machine->fetch_offsets(request).error_code;
    }
};

TEST_F(OffsetsOfConsumers, AreCommittedByMembers) {
    EXPECT_EQ(commit("one", 2), ErrorCode::none);
    EXPECT_EQ(commit("one", 3), ErrorCode::stale_member_epoch);
    EXPECT_EQ(commit("two", 2), ErrorCode::unknown_member_id);
    EXPECT_EQ(commit("", -1), ErrorCode::unknown_member_id) << "it has members";
    EXPECT_EQ(commit("one", 2, 0, 8), ErrorCode::unsupported_version);
    bed.beat(leave_heartbeat("one"));
    EXPECT_EQ(commit("", -1), ErrorCode::none) << "it has none";
}

TEST_F(OffsetsOfConsumers, MayBeOfAnEarlierEpochWhenThePartitionWasTheMembers) {
    two.join();
    calm(bed, {&one, &two});
    ASSERT_EQ(one.epoch, 3);
    ASSERT_EQ(one.of(1), Numbers{0});
    EXPECT_EQ(commit("one", 2, 0), ErrorCode::none);
    EXPECT_EQ(commit("one", 2, 1), ErrorCode::stale_member_epoch) << "it is another's";
    EXPECT_EQ(commit("two", 2, 1), ErrorCode::stale_member_epoch) << "it was not its own then";
    EXPECT_EQ(commit("two", 3, 1), ErrorCode::none);
}

TEST_F(OffsetsOfConsumers, AreReadByMembersAndAdministrators) {
    EXPECT_EQ(fetch("one", 2), ErrorCode::none);
    EXPECT_EQ(fetch("one", 1), ErrorCode::stale_member_epoch);
    EXPECT_EQ(fetch("two", 2), ErrorCode::unknown_member_id);
    EXPECT_EQ(fetch("", -1), ErrorCode::unknown_member_id) << "only who gives none is no member";
    EXPECT_EQ(fetch(std::nullopt, -1), ErrorCode::none);
}

TEST_F(OffsetsOfConsumers, StayWhileSomebodySubscribes) {
    commit("one", 2);
    bed.set_clock(bed.now.steady + 24h * 8);
    const auto expire = [&] {
        bed.decide([&](Effects& e) { bed.machine->expire_offsets(bed.now.wall, e); });
    };
    expire();
    EXPECT_EQ(bed.machine->durable().find("g")->offsets.size(), 1u);
    wire::OffsetDeleteRequest request{.group_id = "g"};
    request.topics.push_back({.name = "t"});
    request.topics[0].partitions.push_back({.partition_index = 0});
    Effects effects;
    EXPECT_EQ(
        bed.machine->delete_offsets(request, effects).topics.at(0).partitions.at(0).error_code,
        ErrorCode::group_subscribed_to_topic);
    bed.beat(leave_heartbeat("one"));
    expire();
    EXPECT_EQ(bed.machine->durable().find("g"), nullptr) << "the group went with them";
    EXPECT_EQ(bed.described().error_code, ErrorCode::group_id_not_found);
}

}  // namespace
}  // namespace leat::groups
