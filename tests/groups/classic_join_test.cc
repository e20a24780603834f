#include <gtest/gtest.h>

#include "tests/groups/bed.h"

namespace leat::groups {
namespace {

TEST(JoiningAGroup, ANewMemberIsGivenAnIdFirst) {
    Bed bed;
    const auto first = bed.joined(bed.join(join_request()));
    EXPECT_EQ(first.error_code, ErrorCode::member_id_required);
    EXPECT_EQ(first.member_id, "app-1");
    EXPECT_EQ(first.generation_id, -1);

    const Ticket again = bed.join(join_request("app-1"));
    EXPECT_FALSE(bed.answered(again)) << "others may be about to join";
    bed.pass(3s);
    const auto joined = bed.joined(again);
    EXPECT_EQ(joined.error_code, ErrorCode::none);
    EXPECT_EQ(joined.generation_id, 1);
    EXPECT_EQ(joined.leader, "app-1");
    EXPECT_EQ(joined.protocol_name, "range");
    ASSERT_EQ(joined.members.size(), 1u);
    EXPECT_EQ(joined.members[0].metadata, bytes_of("as range"));
}

TEST(JoiningAGroup, AnOldClientJoinsAtOnce) {
    Bed bed;
    const Ticket ticket = bed.join(join_request(), {.client_id = "old", .must_bring_id = false});
    bed.pass(3s);
    EXPECT_EQ(bed.joined(ticket).member_id, "old-1");
}

// KIP-394: before, each retry of a client that lost its answer was one more member.
TEST(JoiningAGroup, TenThousandJoinsWithoutAnIdLeaveNoMembers) {
    Bed bed;
    for (int i = 0; i < 10'000; ++i) bed.join(join_request());
    EXPECT_EQ(bed.machine->describe_group("g").members.size(), 0u);
    bed.pass(10s);
    EXPECT_EQ(bed.machine->next_deadline(), std::nullopt) << "an id is reserved for one session";
}

TEST(JoiningAGroup, ReservedIdsCountForTheGroupsSize) {
    Bed bed{{.most_members = 3}};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(bed.joined(bed.join(join_request())).error_code, ErrorCode::member_id_required);
    }
    EXPECT_EQ(bed.joined(bed.join(join_request())).error_code, ErrorCode::group_max_size_reached);
    const Ticket third = bed.join(join_request("app-3"));
    bed.pass(10s);
    EXPECT_EQ(bed.joined(third).error_code, ErrorCode::none) << "its place was reserved";
}

TEST(JoiningAGroup, FiveHundredThatComeInTwoSecondsAreOneGeneration) {
    Bed bed;
    std::vector<Ticket> tickets;
    for (int i = 1; i <= 500; ++i) {
        bed.join(join_request());
        tickets.push_back(bed.join(join_request("app-" + std::to_string(i))));
        bed.pass(4ms);
    }
    bed.pass(60s);
    for (const Ticket ticket : tickets) EXPECT_EQ(bed.joined(ticket).generation_id, 1);
}

TEST(JoiningAGroup, TheInitialDelayGrowsWithMembersButNotBeyondTheRebalanceTimeout) {
    Bed bed;
    auto request = join_request();
    request.rebalance_timeout_ms = 7'000;
    const JoiningClient old{.client_id = "old", .must_bring_id = false};
    const Ticket first = bed.join(request, old);
    for (int i = 0; i < 6; ++i) {
        bed.pass(999ms);
        bed.join(request, old);
        EXPECT_FALSE(bed.answered(first));
    }
    bed.pass(1'100ms);
    EXPECT_EQ(bed.joined(first).generation_id, 1);
}

TEST(JoiningAGroup, AnotherProtocolTypeOrNoCommonProtocolIsRefused) {
    Bed bed;
    stable_pair(bed);
    auto other = join_request();
    other.protocol_type = "connect";
    EXPECT_EQ(bed.joined(bed.join(other)).error_code, ErrorCode::inconsistent_group_protocol);
    other = join_request();
    other.protocols = {{"mine", {}}};
    EXPECT_EQ(bed.joined(bed.join(other)).error_code, ErrorCode::inconsistent_group_protocol);
    other.protocols.clear();
    EXPECT_EQ(bed.joined(bed.join(other)).error_code, ErrorCode::inconsistent_group_protocol);
    other.group_id = "another";
    EXPECT_EQ(bed.joined(bed.join(other)).error_code, ErrorCode::inconsistent_group_protocol);
}

TEST(JoiningAGroup, SessionTimeoutsHaveBounds) {
    Bed bed;
    auto request = join_request();
    request.session_timeout_ms = 5'999;
    EXPECT_EQ(bed.joined(bed.join(request)).error_code, ErrorCode::invalid_session_timeout);
    request.session_timeout_ms = 1'800'001;
    EXPECT_EQ(bed.joined(bed.join(request)).error_code, ErrorCode::invalid_session_timeout);
    request.group_id = "";
    EXPECT_EQ(bed.joined(bed.join(request)).error_code, ErrorCode::invalid_group_id);
}

TEST(JoiningAGroup, AnIdThatNobodyGaveIsUnknown) {
    Bed bed;
    EXPECT_EQ(bed.joined(bed.join(join_request("x"))).error_code, ErrorCode::unknown_member_id);
    stable_pair(bed);
    EXPECT_EQ(bed.joined(bed.join(join_request("x"))).error_code, ErrorCode::unknown_member_id);
}

TEST(JoiningAGroup, TheProtocolIsTheOneThatMostMembersPreferOfThoseThatAllHave) {
    Bed bed;
    const JoiningClient old{.client_id = "old", .must_bring_id = false};
    auto request = join_request();
    request.protocols = {{"only mine", {}}, {"sticky", {}}, {"range", {}}};
    bed.join(request, old);
    bed.join(request, old);
    const Ticket third = bed.join(join_request(), old);
    bed.pass(60s);
    EXPECT_EQ(bed.joined(third).protocol_name, "sticky");
}

TEST(JoiningAGroup, ASecondMemberMakesTheFirstJoinAgain) {
    Bed bed;
    stable_pair(bed);
    bed.join(join_request());
    const Ticket third = bed.join(join_request("app-3"));
    EXPECT_FALSE(bed.answered(third));
    EXPECT_EQ(bed.heartbeat("app-1", 1), ErrorCode::rebalance_in_progress);
    bed.join(join_request("app-1"));
    EXPECT_FALSE(bed.answered(third)) << "app-2 is missing";
    bed.join(join_request("app-2"));
    EXPECT_EQ(bed.joined(third).generation_id, 2);
    EXPECT_EQ(bed.heartbeat("app-1", 1), ErrorCode::illegal_generation);
}

TEST(JoiningAGroup, WhoDoesNotComeBackInTimeIsOut) {
    Bed bed;
    stable_pair(bed);
    const Ticket leader = bed.join(join_request("app-1"));
    for (int i = 0; i < 30; ++i) {  // It lives, but is busy.
        bed.pass(2s);
        bed.heartbeat("app-2", 1);
    }
    const auto joined = bed.joined(leader);
    EXPECT_EQ(joined.generation_id, 2);
    EXPECT_EQ(joined.members.size(), 1u);
    EXPECT_EQ(bed.heartbeat("app-2", 2), ErrorCode::unknown_member_id);
}

TEST(JoiningAGroup, AFollowerThatLostItsAnswerGetsItAgain) {
    Bed bed;
    stable_pair(bed);
    const auto again = bed.joined(bed.join(join_request("app-2")));
    EXPECT_EQ(again.generation_id, 1);
    EXPECT_EQ(again.leader, "app-1");
    EXPECT_TRUE(again.members.empty());
    EXPECT_EQ(bed.heartbeat("app-1", 1), ErrorCode::none) << "nobody else notices";
}

TEST(JoiningAGroup, NewMetadataOfAFollowerIsARebalance) {
    Bed bed;
    stable_pair(bed);
    auto changed = join_request("app-2");
    changed.protocols[0].metadata = bytes_of("other topics");
    bed.join(changed);
    EXPECT_EQ(bed.heartbeat("app-1", 1), ErrorCode::rebalance_in_progress);
}

TEST(JoiningAGroup, AMemberThatAsksTwiceIsAnsweredTwice) {
    Bed bed;
    stable_pair(bed);
    const Ticket lost = bed.join(join_request("app-1"));
    const Ticket again = bed.join(join_request("app-1"));
    EXPECT_EQ(bed.joined(lost).error_code, ErrorCode::rebalance_in_progress);
    bed.join(join_request("app-2"));
    EXPECT_EQ(bed.joined(again).generation_id, 2);
}

TEST(JoiningAGroup, MetadataThatCouldNeverBeStoredIsRefused) {
    Bed bed;
    stable_pair(bed);
    auto huge = join_request("app-2");
    huge.protocols[0].metadata.resize(9'000'000);
    EXPECT_EQ(bed.joined(bed.join(huge)).error_code, ErrorCode::group_max_size_reached);
    auto long_name = join_request();
    long_name.group_id = std::string(40'000, 'g');
    EXPECT_EQ(bed.joined(bed.join(long_name)).error_code, ErrorCode::invalid_request);
}

}  // namespace
}  // namespace leat::groups
