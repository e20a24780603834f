// Groups of the classic protocol whose assignor the operator chooses.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/wire/consumer_protocol.h"
#include "tests/groups/bed.h"

namespace leat::groups {
namespace {

using wire::Bytes;
using Partitions = std::map<std::string, std::vector<std::int32_t>>;

struct Metadata {
    std::vector<std::string> topics{"t"};
    std::optional<Bytes> user_data{};
    Partitions owned{};
    std::int32_t generation = -1;
    std::string rack{};
    wire::Version version = 3;
};

Bytes metadata_of(const Metadata& from) {
    wire::ConsumerProtocolSubscription subscription{
        .topics = from.topics, .user_data = from.user_data, .generation_id = from.generation};
    for (const auto& [topic, partitions] : from.owned) {
        subscription.owned_partitions.push_back({topic, partitions});
    }
    if (!from.rack.empty()) subscription.rack_id = from.rack;
    return *wire::encode_subscription(subscription, from.version);
}

Bytes assignment_of(const Partitions& partitions, std::optional<Bytes> user_data = {}) {
    wire::ConsumerProtocolAssignment assignment{.user_data = std::move(user_data)};
    for (const auto& [topic, numbers] : partitions) {
        assignment.assigned_partitions.push_back({topic, numbers});
    }
    return *wire::encode_assignment(assignment, 0);
}

Partitions partitions_in(const Bytes& assignment) {
    Partitions partitions;
    const auto decoded = wire::decode_assignment(assignment);
    if (!decoded) return {{"not an assignment", {}}};
    for (const auto& topic : decoded->message.assigned_partitions) {
        partitions[topic.topic] = topic.partitions;
    }
    return partitions;
}

// A group whose members "app-1", the leader, "app-2", ... come with `protocol`.
class Operator : public testing::Test {
protected:
    Operator() {
        bed.limits.assignor_for = [this](std::string_view) { return assignor; };
        bed.limits.initial_rebalance_delay = 0ms;
        bed.start();
    }

    void begin_anew() {
        bed.start();
        bed.asked.clear();
        bed.last_id = 0;
        known.clear();
    }
    wire::JoinGroupRequest request(std::string id, const Metadata& metadata) {
        auto made = join_request(std::move(id));
        made.protocol_type = type;
        made.protocols = {{protocol, metadata_of(metadata)}};
        return made;
    }
    // All of them join again, or for the first time, with this metadata, in the order of the map.
    void rebalance(const std::map<std::string, Metadata>& members) {
        for (const auto& [id, metadata] : members) {
            if (known.insert(id).second) bed.join(request("", metadata));
        }
        std::map<std::string, Ticket> joins;
        for (const auto& [id, metadata] : members) joins[id] = bed.join(request(id, metadata));
        bed.pass(0s);  // The initial delay.
        for (const auto& [id, ticket] : joins) generation = bed.joined(ticket).generation_id;
    }
    Ticket sync(const std::string& id,
                std::vector<wire::SyncGroupRequest::Assignment> assignments = {}) {
        auto made = sync_request(id, generation, std::move(assignments));
        made.protocol_type = type;
        made.protocol_name = protocol;
        return bed.sync(made);
    }
    // The answer to the last request, by member: `t` has `partitions`.
    AssignmentOutcome outcome(const std::map<std::string, std::vector<std::int32_t>>& of_t,
                              std::size_t partitions = 4) {
        AssignmentRequest& asked = bed.asked.back();
        for (auto& topic : asked.input.topics) topic.partitions.resize(partitions);
        sdk::GroupAssignment assignment(asked.input.members.size());
        for (std::size_t i = 0; i < asked.input.members.size(); ++i) {
            const auto given = of_t.find(asked.input.members[i].id);
            if (given == of_t.end()) continue;
            for (const auto partition : given->second) assignment[i].push_back({0, partition});
        }
        return {asked.group, asked.number, asked.input, assignment, "the assignor"};
    }
    void tell(const AssignmentOutcome& outcome) {
        bed.decide([&](Effects& e) { bed.machine->assigned(outcome, bed.now, e); });
    }
    // Both sync; the assignor says `of_t`. What they are told.
    std::map<std::string, Partitions> settle(
        const std::set<std::string>& members,
        const std::map<std::string, std::vector<std::int32_t>>& of_t) {
        std::map<std::string, Ticket> syncs;
        for (const std::string& id : members) syncs[id] = sync(id);
        tell(outcome(of_t));
        std::map<std::string, Partitions> told;
        for (const auto& [id, ticket] : syncs) {
            told[id] = partitions_in(bed.synced(ticket).assignment);
        }
        return told;
    }

    Bed bed;
    std::string assignor = "mine";
    std::string type = "consumer";
    std::string protocol = "range";
    std::int32_t generation = 0;
    std::set<std::string> known;
};

TEST_F(Operator, ChoosesTheAssignmentInPlaceOfTheLeader) {
    rebalance({{"app-1", {}}, {"app-2", {}}});
    const Ticket follower = sync("app-2");
    const Ticket leader = sync("app-1", {{"app-1", assignment_of({{"t", {0, 1, 2, 3}}})}});
    ASSERT_EQ(bed.asked.size(), 1u);
    EXPECT_EQ(bed.asked[0].assignor, "mine");
    EXPECT_EQ(bed.asked[0].group, "g");
    EXPECT_FALSE(bed.answered(leader)) << "everybody waits for the assignor";
    const std::size_t stored = bed.log.size();
    tell(outcome({{"app-1", {3}}, {"app-2", {2, 0, 1}}}));
    EXPECT_EQ(partitions_in(bed.synced(leader).assignment), (Partitions{{"t", {3}}}));
    EXPECT_EQ(partitions_in(bed.synced(follower).assignment), (Partitions{{"t", {0, 1, 2}}}));
    EXPECT_EQ(bed.log.size(), stored + 1);
    EXPECT_EQ(bed.machine->describe_group("g").group_state, "Stable");
}

TEST_F(Operator, SeesMembersRacksSubscriptionsAndWhatTheyHave) {
    rebalance({{"app-1", {.topics = {"t", "a"}, .rack = "east"}}, {"app-2", {}}});
    sync("app-1");
    const auto& input = bed.asked[0].input;
    EXPECT_EQ(input.group, "g");
    ASSERT_EQ(input.topics.size(), 2u);
    EXPECT_EQ(input.topics[0].name, "a");
    EXPECT_EQ(input.topics[1].name, "t");
    ASSERT_EQ(input.members.size(), 2u);
    EXPECT_EQ(input.members[0].id, "app-1");
    EXPECT_EQ(input.members[0].rack, "east");
    EXPECT_EQ(input.members[0].client_id, "app");
    EXPECT_EQ(input.members[0].client_host, "/::1");
    EXPECT_EQ(input.members[0].topics, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(input.members[1].topics, (std::vector<std::uint32_t>{1}));
    EXPECT_TRUE(input.members[0].previous.empty());
}

TEST_F(Operator, ShowsTheAssignorWhatItSaidLastAndWhatMembersSayTheyHold) {
    protocol = "cooperative-sticky";
    rebalance({{"app-1", {}}, {"app-2", {}}});
    settle({"app-1", "app-2"}, {{"app-1", {0, 1}}, {"app-2", {2, 3}}});
    rebalance({{"app-1", {.owned = {{"t", {0, 1}}}, .generation = 1}},
               {"app-2", {.owned = {{"t", {2}}}, .generation = 1}}});
    sync("app-1");
    const auto& input = bed.asked.back().input;
    EXPECT_EQ(input.members[0].previous, (std::vector<sdk::GroupPartition>{{0, 0}, {0, 1}}));
    EXPECT_EQ(input.members[1].previous, (std::vector<sdk::GroupPartition>{{0, 2}, {0, 3}}));
    EXPECT_EQ(input.members[1].owned, (std::vector<sdk::GroupPartition>{{0, 2}}));
}

TEST_F(Operator, ARebalanceThatCameToNothingDoesNotForgetTheLastAssignment) {
    rebalance({{"app-1", {}}, {"app-2", {}}});
    settle({"app-1", "app-2"}, {{"app-1", {0, 1}}, {"app-2", {2, 3}}});
    rebalance({{"app-1", {}}, {"app-2", {}}, {"app-3", {}}});
    sync("app-2");
    bed.leave("app-3");
    rebalance({{"app-1", {}}, {"app-2", {}}});
    sync("app-1");
    EXPECT_EQ(bed.asked.back().input.members[0].previous.size(), 2u);
}

TEST_F(Operator, IsAskedOnceForAGenerationHoweverOftenTheLeaderSyncs) {
    rebalance({{"app-1", {}}, {"app-2", {}}});
    const Ticket lost = sync("app-1");
    const Ticket again = sync("app-1");
    EXPECT_EQ(bed.asked.size(), 1u);
    EXPECT_EQ(bed.synced(lost).error_code, ErrorCode::rebalance_in_progress);
    tell(outcome({{"app-1", {0, 1, 2, 3}}}));
    EXPECT_EQ(partitions_in(bed.synced(again).assignment), (Partitions{{"t", {0, 1, 2, 3}}}));
}

TEST_F(Operator, AnAnswerForAnEarlierGenerationChangesNothing) {
    rebalance({{"app-1", {}}, {"app-2", {}}});
    const Ticket leader = sync("app-1");
    const auto late = outcome({{"app-1", {0, 1, 2, 3}}});
    bed.leave("app-2");
    EXPECT_EQ(bed.synced(leader).error_code, ErrorCode::rebalance_in_progress);
    tell(late);
    rebalance({{"app-1", {}}});
    const Ticket next = sync("app-1");
    tell(late);
    EXPECT_FALSE(bed.answered(next));
    tell(outcome({{"app-1", {0, 1, 2, 3}}}));
    EXPECT_TRUE(bed.answered(next));
}

TEST_F(Operator, MembersThatDoNotSyncAreOutInTimeWhileTheAssignorThinks) {
    rebalance({{"app-1", {}}, {"app-2", {}}});
    const Ticket leader = sync("app-1");
    for (int i = 0; i < 31; ++i) {
        bed.pass(2s);
        bed.heartbeat("app-2", generation);
    }
    EXPECT_EQ(bed.synced(leader).error_code, ErrorCode::rebalance_in_progress);
    EXPECT_EQ(bed.heartbeat("app-2", generation), ErrorCode::unknown_member_id);
}

TEST_F(Operator, WhereThereIsNoAssignmentTheLeadersCounts) {
    rebalance({{"app-1", {}}});
    const auto by_leader = assignment_of({{"t", {0}}});
    const Ticket leader = sync("app-1", {{"app-1", by_leader}});
    auto failed = outcome({});
    failed.assignment = sdk::Error{sdk::Errc::not_found, "there is no assignor mine"};
    tell(failed);
    EXPECT_EQ(bed.synced(leader).assignment, by_leader);
    EXPECT_NE(bed.notes.back().find("there is no assignor mine"), std::string::npos);
}

TEST_F(Operator, AnswersEachMemberInTheVersionThatItSpeaks) {
    for (const int version : {0, 1, 2, 3, 9}) {
        begin_anew();
        Metadata metadata{.version = wire::Version(std::min(version, 3))};
        auto joining = request("", metadata);
        joining.protocols[0].metadata[1] = std::byte(version);
        const auto joined = bed.joined(bed.join(joining, {"app", "/::1", false}));
        bed.pass(1s);
        generation = 1;
        const Ticket leader = sync("app-1");
        ASSERT_EQ(bed.asked.size(), 1u) << version;
        tell(outcome({{"app-1", {0, 1, 2, 3}}}));
        const auto told = bed.synced(leader).assignment;
        ASSERT_GE(told.size(), 2u);
        EXPECT_EQ(told[1], std::byte(std::min(version, 3)));
        EXPECT_EQ(partitions_in(told), (Partitions{{"t", {0, 1, 2, 3}}}));
    }
}

TEST_F(Operator, DoesNotTouchStreamsConnectOrAProtocolOfTheClientsOwn) {
    for (const auto& [of_type, of_protocol] : std::vector<std::pair<std::string, std::string>>{
             {"consumer", "stream"}, {"connect", "range"}, {"consumer", "RoundRobinAssigner"}}) {
        begin_anew();
        type = of_type;
        protocol = of_protocol;
        rebalance({{"app-1", {}}});
        const Ticket leader = sync("app-1", {{"app-1", bytes_of("as the leader wants it")}});
        EXPECT_TRUE(bed.asked.empty()) << of_type << " " << of_protocol;
        EXPECT_EQ(bed.synced(leader).assignment, bytes_of("as the leader wants it"));
    }
}

TEST_F(Operator, DoesNotTouchAssignmentsThatCarryUserData) {
    rebalance({{"app-1", {}}});
    const auto with_data = assignment_of({{"t", {0}}}, bytes_of("of the assignor"));
    const Ticket leader = sync("app-1", {{"app-1", with_data}});
    EXPECT_TRUE(bed.asked.empty());
    EXPECT_EQ(bed.synced(leader).assignment, with_data);
}

TEST_F(Operator, EmptyUserDataIsNone) {
    rebalance({{"app-1", {}}});
    sync("app-1", {{"app-1", assignment_of({{"t", {0}}}, Bytes{})}});
    EXPECT_EQ(bed.asked.size(), 1u);
}

TEST_F(Operator, UserDataThatTheMemberBroughtItselfIsNotTheLeaders) {
    const Bytes own = bytes_of("what it had");  // librdkafka's leader gives it back.
    rebalance({{"app-1", {.user_data = own}}, {"app-2", {.user_data = bytes_of("other")}}});
    sync("app-1", {{"app-1", assignment_of({{"t", {0}}}, own)}});
    EXPECT_EQ(bed.asked.size(), 1u);
}

TEST_F(Operator, DoesNotTouchWhatConsumersDoNotWrite) {
    rebalance({{"app-1", {}}});
    const Ticket leader = sync("app-1", {{"app-1", bytes_of("?")}});
    EXPECT_TRUE(bed.asked.empty());
    EXPECT_EQ(bed.synced(leader).assignment, bytes_of("?"));
    auto strange = request("app-1", {});
    strange.protocols[0].metadata = bytes_of("?");
    generation = bed.joined(bed.join(strange)).generation_id;
    sync("app-1", {{"app-1", assignment_of({{"t", {0}}})}});
    EXPECT_TRUE(bed.asked.empty());
}

TEST_F(Operator, LeavesGroupsAloneThatNoPatternNames) {
    assignor.clear();
    rebalance({{"app-1", {}}});
    EXPECT_TRUE(bed.answered(sync("app-1")));
    EXPECT_TRUE(bed.asked.empty());
}

TEST_F(Operator, ACooperativeGroupHandsOverInTwoSteps) {
    protocol = "cooperative-sticky";
    rebalance({{"app-1", {}}});
    EXPECT_EQ(settle({"app-1"}, {{"app-1", {0, 1, 2, 3}}})["app-1"],
              (Partitions{{"t", {0, 1, 2, 3}}}));
    const Metadata holds_all{.owned = {{"t", {0, 1, 2, 3}}}, .generation = 1};
    rebalance({{"app-1", holds_all}, {"app-2", {}}});
    auto told = settle({"app-1", "app-2"}, {{"app-1", {0, 1}}, {"app-2", {2, 3}}});
    EXPECT_EQ(told["app-1"], (Partitions{{"t", {0, 1}}}));
    EXPECT_EQ(told["app-2"], Partitions{}) << "the other one still holds them";
    EXPECT_NE(bed.notes.back().find("2 partitions wait for who holds them"), std::string::npos);
    // It has revoked them, and joins again.
    rebalance({{"app-1", {.owned = {{"t", {0, 1}}}, .generation = generation}}, {"app-2", {}}});
    told = settle({"app-1", "app-2"}, {{"app-1", {0, 1}}, {"app-2", {2, 3}}});
    EXPECT_EQ(told["app-1"], (Partitions{{"t", {0, 1}}}));
    EXPECT_EQ(told["app-2"], (Partitions{{"t", {2, 3}}}));
}

TEST_F(Operator, AnEagerGroupHandsOverAtOnce) {
    rebalance({{"app-1", {}}});
    settle({"app-1"}, {{"app-1", {0, 1, 2, 3}}});
    rebalance({{"app-1", {}}, {"app-2", {}}});
    const auto told = settle({"app-1", "app-2"}, {{"app-1", {0, 1}}, {"app-2", {2, 3}}});
    EXPECT_EQ(told.at("app-2"), (Partitions{{"t", {2, 3}}}));
}

TEST_F(Operator, AClaimOfAnEarlierGenerationGivesWayToALaterOne) {
    protocol = "cooperative-sticky";
    rebalance({{"app-1", {}}, {"app-2", {}}});
    settle({"app-1", "app-2"}, {{"app-1", {0, 1}}, {"app-2", {2, 3}}});
    // app-2 was away, and says what it had before that.
    rebalance({{"app-1", {.owned = {{"t", {0, 1}}}, .generation = 7}},
               {"app-2", {.owned = {{"t", {0, 2, 3}}}, .generation = 6}}});
    const auto told = settle({"app-1", "app-2"}, {{"app-1", {0, 1}}, {"app-2", {2, 3}}});
    EXPECT_EQ(bed.asked.back().input.members[1].owned,
              (std::vector<sdk::GroupPartition>{{0, 2}, {0, 3}}));
    EXPECT_EQ(told.at("app-1"), (Partitions{{"t", {0, 1}}}));
    EXPECT_EQ(told.at("app-2"), (Partitions{{"t", {2, 3}}}));
}

TEST_F(Operator, APartitionThatTwoSayTheyHoldIsGivenToNobodyUntilOneLetsGo) {
    protocol = "cooperative-sticky";
    const Metadata both{.owned = {{"t", {0}}}, .generation = 3};
    rebalance({{"app-1", both}, {"app-2", both}});
    const auto told = settle({"app-1", "app-2"}, {{"app-1", {0, 1}}, {"app-2", {2, 3}}});
    EXPECT_EQ(told.at("app-1"), (Partitions{{"t", {1}}}));
    EXPECT_EQ(told.at("app-2"), (Partitions{{"t", {2, 3}}}));
}

TEST_F(Operator, AFailoverWhileTheAssignorThinksLosesNothingThatWasStored) {
    rebalance({{"app-1", {}}, {"app-2", {}}});
    settle({"app-1", "app-2"}, {{"app-1", {0, 1}}, {"app-2", {2, 3}}});
    rebalance({{"app-1", {}}, {"app-2", {}}});
    sync("app-1");
    const auto late = outcome({{"app-2", {0, 1, 2, 3}}});
    bed.fail_over();
    tell(late);
    generation = 1;
    EXPECT_EQ(partitions_in(bed.synced(sync("app-2")).assignment), (Partitions{{"t", {2, 3}}}));
}

}  // namespace
}  // namespace leat::groups
