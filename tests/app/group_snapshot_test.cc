// Snapshots of groups: as text and back, what is refused of them, and one of a group of KIP-848.
#include "core/app/client_commands/group_snapshot.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/broker_process.h"
#include "tests/app/consumer_member.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using nlohmann::json;

GroupSnapshot small() {
    GroupSnapshot snapshot{.type = "consumer", .state = "Stable", .assignor = "uniform"};
    sdk::AssignmentInput& input = snapshot.input;
    input.group = "shop";
    input.topics = {
        {.id = {{1, 2, 3}}, .name = "bills", .partitions = {{.racks = {"a", "b"}, .lag = 7}}},
        {.id = {}, .name = "orders", .partitions = {{}, {.lag = 0, .bytes = 12}}}};
    input.members = {{.id = "m1",
                      .instance = "till-1",
                      .rack = "a",
                      .client_id = "c",
                      .client_host = "/127.0.0.1",
                      .topics = {0, 1},
                      .previous = {{0, 0}, {1, 1}},
                      .owned = {{0, 0}}},
                     {.id = "m2", .topics = {1}, .previous = {{1, 0}}}};
    return snapshot;
}

TEST(GroupSnapshot, ComesBackFromItsTextAsItWas) {
    const std::string text = to_json(small());
    const auto read = parse_snapshot(text);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(to_json(*read), text);
    const sdk::AssignmentInput &was = small().input, &is = read->input;
    EXPECT_EQ(is.topics[0].id, was.topics[0].id);
    EXPECT_EQ(is.topics[0].partitions[0].racks, was.topics[0].partitions[0].racks);
    EXPECT_EQ(is.topics[1].partitions[0].lag, std::nullopt) << "unknown is not zero";
    EXPECT_EQ(is.topics[1].partitions[1].lag, 0);
    EXPECT_EQ(is.topics[1].partitions[1].bytes, 12u);
    EXPECT_EQ(is.members[0].instance, "till-1");
    EXPECT_EQ(is.members[0].previous, was.members[0].previous);
    EXPECT_EQ(is.members[0].owned, was.members[0].owned);
    EXPECT_EQ(is.members[1].instance, std::nullopt);
    EXPECT_EQ(is.members[1].topics, was.members[1].topics);
}

// Another tool may have written it, or an editor changed it.
TEST(GroupSnapshot, IsReadInAnyOrderOfMembersAndTopics) {
    auto turned = json::parse(to_json(small()));
    std::ranges::reverse(turned["topics"]);
    std::ranges::reverse(turned["members"]);
    std::ranges::reverse(turned["members"][1]["topics"]);
    const auto read = parse_snapshot(turned.dump());
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(to_json(*read), to_json(small()));
}

TEST(GroupSnapshot, OneThatCannotBeIsOneSentence) {
    const std::string whole = to_json(small());
    EXPECT_EQ(parse_snapshot("{").error().what, "is no JSON, so it is no snapshot of a group");
    for (const auto* other : {"[]", "{}", "7", R"({"format": "leat"})"}) {
        EXPECT_EQ(parse_snapshot(other).error().what,
                  "is no snapshot of a group: `leat group export` writes them");
    }
    const std::tuple<const char*, json, const char*> all[] = {
        {"/version", 2,
         "is a snapshot of version 2, and this leat reads 1: read it with the leat that wrote it"},
        {"/version", "1", "does not say which version of a snapshot it is"},
        {"/group", nullptr, "`group` of the snapshot is no string"},
        {"/topics", 3, "`topics` of the snapshot is no list"},
        {"/topics/0/name", "orders", "it tells of topic orders twice"},
        {"/topics/0/partitions", json::array(), "topic bills has no partitions"},
        {"/topics/0/partitions/0/lag", -1,
         "`lag` of a partition of topic bills is no whole number from 0 on"},
        {"/topics/0/id", "short", "`id` of topic bills is none"},
        {"/members/0/id", "m2", "it tells of member m2 twice"},
        {"/members/0/topics/0", "clicks",
         "member m1 subscribes to a topic that is not among `topics`"},
        {"/members/1/assigned/orders/0", 2,
         "`assigned` of member m2 names partition 2 of topic orders, which has 2"},
        {"/members/1/assigned/orders/0", 1,
         "partition 1 of topic orders is assigned to two members"},
        {"/members/1/assigned/clicks",
         {0},
         "`assigned` of member m2 names topic clicks, which is not among `topics`"},
        {"/members/1/owned", 1, "`owned` of member m2 is no object"},
    };
    for (const auto& [place, value, says] : all) {
        auto changed = json::parse(whole);
        changed[json::json_pointer{place}] = value;
        const auto read = parse_snapshot(changed.dump());
        ASSERT_FALSE(read) << place;
        EXPECT_TRUE(read.error().what.ends_with(says)) << read.error().what;
    }
}

// Every part of it may be missing, or be of another kind.
TEST(GroupSnapshot, NoPartThatIsExchangedBringsItsReaderDown) {
    const auto whole = json::parse(to_json(small())).flatten();
    std::size_t refused = 0;
    for (const auto& [place, value] : whole.items()) {
        for (const json& other : {json{}, json(-1), json("x"), json::array({1}), json{{"x", 1}}}) {
            auto changed = whole.unflatten();
            changed[json::json_pointer{place}] = other;
            refused += !parse_snapshot(changed.dump());
        }
    }
    EXPECT_GT(refused, whole.size());
}

TEST(GroupSnapshot, OfAGroupOfKip848NamesWhatAPatternMatches) {
    BrokerProcess broker;
    RawClient client{broker.port()};
    for (const auto* topic : {"orders-1", "orders-2", "bills"}) {
        ASSERT_EQ(create_topic(client, topic, 2), wire::ErrorCode::none);
    }
    ASSERT_EQ(produce(client, "orders-2", 1, batch_of(3)).error_code, wire::ErrorCode::none);
    ConsumerMember one{broker.port(), "depot", "one"}, two{broker.port(), "depot", "two"};
    one.join_by_pattern("orders-.*");
    two.join({"orders-2"});
    ASSERT_TRUE(beat_until({&one, &two}, [&] {
        return one.describe().group_state == "Stable" && one.partitions() + two.partitions() == 4;
    }));
    ConsumerMember& holder = two.partitions() == 2 ? two : one;
    ASSERT_EQ(holder.commit("orders-2", 1, 1), wire::ErrorCode::none);
    const auto said = broker.run({"group", "export", "depot"});
    ASSERT_EQ(said.code, 0) << said.err;
    const auto snapshot = parse_snapshot(said.out);
    ASSERT_TRUE(snapshot) << snapshot.error().what;
    EXPECT_EQ(snapshot->type, "consumer");
    EXPECT_EQ(snapshot->assignor, "uniform");
    const auto& [group, members, topics] = snapshot->input;
    ASSERT_EQ(topics.size(), 2u) << "not the one that nobody subscribes to";
    EXPECT_EQ(topics[1].partitions.at(1).lag, 2);
    EXPECT_EQ(topics[1].partitions.at(0).lag, std::nullopt);
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[0].topics, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(members[1].topics, std::vector<std::uint32_t>{1});
    EXPECT_EQ(members[0].previous.size() + members[1].previous.size(), 4u);
    EXPECT_EQ(members[0].owned, members[0].previous);
}

}  // namespace
}  // namespace leat::app
