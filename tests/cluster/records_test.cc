#include "core/cluster/records.h"

#include <gtest/gtest.h>

#include <random>

namespace leat::cluster {
namespace {

sdk::KeyValue entry(std::string key, std::string value) {
    return {std::move(key), std::move(value), sdk::Revision{1}};
}

TEST(Records, UuidsHaveKafkasText) {
    std::mt19937_64 random{7};
    for (int i = 0; i < 1000; ++i) {
        sdk::Uuid uuid;
        for (auto& byte : uuid.bytes) byte = static_cast<std::uint8_t>(random());
        const auto text = uuid_text(uuid);
        ASSERT_EQ(text.size(), 22u);
        EXPECT_EQ(parse_uuid(text), uuid);
    }
    EXPECT_EQ(uuid_text({}), "AAAAAAAAAAAAAAAAAAAAAA");
    EXPECT_EQ(parse_uuid("AAAAAAAAAAAAAAAAAAAAAB"), std::nullopt);  // Bits that no byte has.
    EXPECT_EQ(parse_uuid("short"), std::nullopt);
    EXPECT_EQ(parse_uuid("AAAAAAAAAAAAAAAAAAAAA="), std::nullopt);
}

TEST(Records, APartitionComesBackAsItWas) {
    const sdk::PartitionState state{.replicas = {{1}, {2}, {3}},
                                    .in_sync = {{1}, {2}},
                                    .eligible = {{3}},
                                    .leader = sdk::NodeId{2},
                                    .leader_epoch = {9}};
    EXPECT_EQ(*decode<sdk::PartitionState>(entry("/p", encode(state))), state);
    auto leaderless = state;
    leaderless.leader.reset();
    EXPECT_EQ(*decode<sdk::PartitionState>(entry("/p", encode(leaderless))), leaderless);
    EXPECT_EQ(PartitionImage::from(state, {}).state(), state);
}

TEST(Records, ABrokerAndATopicComeBackAsTheyWere) {
    const BrokerRecord broker{.node = {4},
                              .rack = "r1",
                              .endpoints = {{.listener = "tls", .host = "h", .port = 65535}}};
    const auto again = decode<BrokerRecord>(entry("/b", encode(broker)));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->endpoints, broker.endpoints);
    EXPECT_EQ(again->rack, "r1");
    const auto topic = decode<TopicRecord>(
        entry("/t", encode(TopicRecord{.name = "a", .partitions = 3, .storage = "fast"})));
    ASSERT_TRUE(topic);
    EXPECT_EQ(topic->storage, "fast");
    EXPECT_FALSE(topic->configured);
}

TEST(Records, FieldsOfANewerBrokerAreIgnored) {
    const auto record = decode<ClusterRecord>(
        entry("/cluster", R"({"version":2,"cluster_id":"x","later":{"a":[1,2]}})"));
    ASSERT_TRUE(record);
    EXPECT_EQ(record->cluster_id, "x");
}

TEST(Records, GarbageIsAnErrorThatNamesTheKey) {
    for (const auto* value :
         {"", "null", "[]", "{", "{}", "\xff", R"({"version":1})", R"({"version":"1"})",
          R"({"version":1,"leader":1,"leader_epoch":99999999999,"replicas":[],"isr":[],"elr":[]})",
          R"({"version":1,"leader":1,"leader_epoch":1,"replicas":["1"],"isr":[],"elr":[]})"}) {
        const auto record = decode<sdk::PartitionState>(entry("/partitions/x/0", value));
        ASSERT_FALSE(record) << value;
        EXPECT_NE(record.error().what.find("/partitions/x/0"), std::string::npos);
    }
}

TEST(Records, OnlyAPartitionsKeyIsOne) {
    const sdk::Uuid id{{1, 2, 3}};
    const auto path = parse_partition_key(keys::partition(id, 17));
    ASSERT_TRUE(path);
    EXPECT_EQ(path->topic_id, id);
    EXPECT_EQ(path->index, 17);
    const auto stem = std::string{keys::partitions} + uuid_text(id);
    for (const auto& key : {stem, stem + "/", stem + "/-1", stem + "/1x", stem + "/99999999999",
                            std::string{"/topics/a"}, std::string{"/partitions/x/1"}}) {
        EXPECT_FALSE(parse_partition_key(key)) << key;
    }
}

}  // namespace
}  // namespace leat::cluster
