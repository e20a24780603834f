#include "core/cluster/image.h"

#include <gtest/gtest.h>

#include "core/cluster/topic_rules.h"

namespace leat::cluster {
namespace {

using sdk::NodeId;

std::shared_ptr<const TopicImage> topic(std::string name, std::uint8_t id, std::size_t partitions) {
    auto made = std::make_shared<TopicImage>();
    made->name = std::move(name);
    made->id.bytes[0] = id;
    made->partitions.resize(partitions);
    return made;
}

TEST(NodeList, HoldsFewIdsInsideAndManyOnTheHeap) {
    static_assert(sizeof(NodeList) == 16);
    static_assert(sizeof(PartitionImage) <= 72);
    for (std::int32_t count : {0, 1, 3, 4, 17}) {
        std::vector<NodeId> nodes;
        for (std::int32_t i = 0; i < count; ++i) nodes.push_back(NodeId{i * 7});
        const NodeList list{nodes};
        NodeList copy{list};
        EXPECT_EQ(copy.copy(), nodes);
        NodeList moved{std::move(copy)};
        copy = moved;
        EXPECT_EQ(copy.copy(), nodes);
        copy = NodeList{};
        EXPECT_TRUE(copy.empty());
        EXPECT_EQ(moved.contains(NodeId{7}), count > 1);
    }
}

TEST(Image, ATopicThatCameAgainUnderItsNameIsAnotherOne) {
    Image image;
    const auto first = topic("orders", 1, 3);
    const auto second = topic("orders", 2, 5);
    image.apply({.topics = {first}});
    image.apply({.topics_gone = {first}, .topics = {second}});
    EXPECT_EQ(image.topic("orders")->id, second->id);
    EXPECT_EQ(image.topic(first->id), nullptr);
    EXPECT_EQ(image.partition_count(), 5u);
    EXPECT_EQ(image.partition(second->id, 5), nullptr);
    EXPECT_NE(image.partition(second->id, 4), nullptr);
}

TEST(TopicRules, OnlyKafkasNamesAreLegal) {
    for (const auto* name : {"a", "A-b_c.9", "...", "__consumer_offsets"}) {
        EXPECT_TRUE(check_topic_name(name)) << name;
    }
    for (const auto* name : {"", ".", "..", "a b", "a/b", "\xc3\xa4", "a\n"}) {
        EXPECT_FALSE(check_topic_name(name)) << name;
    }
    EXPECT_TRUE(check_topic_name(std::string(249, 'x')));
    EXPECT_FALSE(check_topic_name(std::string(250, 'x')));
}

TEST(TopicRules, NamesThatDifferOnlyInDotsAndUnderscoresCollide) {
    Image image;
    image.apply({.topics = {topic("a.b_c", 1, 1), topic("plain", 2, 1), topic("a", 3, 1)}});
    EXPECT_EQ(colliding_topic(image, "a_b.c"), "a.b_c");
    EXPECT_EQ(colliding_topic(image, "a.b_c"), "");
    EXPECT_EQ(colliding_topic(image, "a.b-c"), "");
    EXPECT_EQ(colliding_topic(image, "plain"), "");
    EXPECT_TRUE(names_collide("x.y", "x_y"));
    EXPECT_FALSE(names_collide("x.y", "x.y"));
}

TEST(TopicRules, ReplicasGoRoundTheBrokers) {
    const std::vector<NodeId> brokers{{1}, {2}, {3}};
    const auto placed = place_replicas(brokers, 3, 2, 1);
    EXPECT_EQ(placed[0], (std::vector<NodeId>{{2}, {3}}));
    EXPECT_EQ(placed[1], (std::vector<NodeId>{{3}, {1}}));
    EXPECT_EQ(placed[2], (std::vector<NodeId>{{1}, {2}}));
}

}  // namespace
}  // namespace leat::cluster
