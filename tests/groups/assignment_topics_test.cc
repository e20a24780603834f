#include "core/groups/assignment_topics.h"

#include <gtest/gtest.h>

#include <memory>

namespace leat::groups {
namespace {

sdk::Uuid id_of(std::uint8_t last) {
    sdk::Uuid id;
    id.bytes.back() = last;
    return id;
}

// Brokers 1 and 2 in rack "a", 3 in "b", 4 nowhere; `orders` with two partitions.
cluster::Image image() {
    cluster::ImageDelta delta;
    for (const auto& [number, rack] :
         std::vector<std::pair<int, std::string>>{{1, "a"}, {2, "a"}, {3, "b"}, {4, ""}}) {
        auto broker = std::make_shared<cluster::BrokerImage>();
        broker->id = {number};
        broker->rack = rack;
        delta.brokers.push_back(std::move(broker));
    }
    auto topic = std::make_shared<cluster::TopicImage>();
    topic->name = "orders";
    topic->id = id_of(7);
    topic->partitions.resize(2);
    const sdk::NodeId first[] = {{3}, {1}, {2}};
    const sdk::NodeId second[] = {{4}};
    topic->partitions[0].replicas = cluster::NodeList{first};
    topic->partitions[1].replicas = cluster::NodeList{second};
    delta.topics.push_back(std::move(topic));
    cluster::Image made;
    made.apply(delta);
    return made;
}

// `gone` does not exist.
sdk::AssignmentInput asked() {
    sdk::AssignmentInput input{.group = "g", .members = {}, .topics = {}};
    input.topics.push_back({.id = {}, .name = "gone", .partitions = {}});
    input.topics.push_back({.id = {}, .name = "orders", .partitions = {}});
    input.members.push_back({.id = "m",
                             .topics = {0, 1},
                             .previous = {{0, 0}, {1, 1}, {1, 2}},
                             .owned = {{0, 3}, {1, -1}, {1, 0}}});
    return input;
}

TEST(AnAssignorsTopics, HaveIdsPartitionsAndTheRacksOfTheirReplicas) {
    auto input = asked();
    fill_in_topics(input, image());
    ASSERT_EQ(input.topics.size(), 1u);
    EXPECT_EQ(input.topics[0].id, id_of(7));
    ASSERT_EQ(input.topics[0].partitions.size(), 2u);
    EXPECT_EQ(input.topics[0].partitions[0].racks, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(input.topics[0].partitions[1].racks.empty()) << "unknown";
}

TEST(AnAssignorsTopics, ThatDoNotExistAreTakenOutWithWhatNamesThem) {
    auto input = asked();
    fill_in_topics(input, image());
    EXPECT_EQ(input.members[0].topics, std::vector<std::uint32_t>{0});
    EXPECT_EQ(input.members[0].previous, (std::vector<sdk::GroupPartition>{{0, 1}}));
    EXPECT_EQ(input.members[0].owned, (std::vector<sdk::GroupPartition>{{0, 0}}));
}

TEST(AnAssignorsTopics, KeepTheNumberOfPartitionsThatTheyCameWith) {
    auto input = asked();
    input.topics[1].partitions.resize(1);
    fill_in_topics(input, image());
    EXPECT_EQ(input.topics[0].partitions.size(), 1u);
    EXPECT_TRUE(input.members[0].previous.empty());
}

}  // namespace
}  // namespace leat::groups
