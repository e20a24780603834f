#include "core/cluster/store_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace leat::cluster {
namespace {

using sdk::KeyValue;
using sdk::Revision;

const sdk::Uuid orders_id{{1}};

KeyValue partition(const sdk::Uuid& id, std::int32_t index, std::uint64_t revision,
                   std::int32_t epoch = 0) {
    const sdk::PartitionState state{
        .replicas = {{1}}, .in_sync = {{1}}, .leader = sdk::NodeId{1}, .leader_epoch = {epoch}};
    return {keys::partition(id, index), encode(state), Revision{revision}};
}

KeyValue record(const std::string& name, const sdk::Uuid& id, std::int32_t partitions,
                std::uint64_t revision, bool configured = false) {
    return {keys::topic(name),
            encode(TopicRecord{
                .name = name, .id = id, .partitions = partitions, .configured = configured}),
            Revision{revision}};
}

TEST(StoreView, ATopicAppearsWholeInWhateverOrderItsPartsCome) {
    std::vector<KeyValue> parts{
        record("orders", orders_id, 3, 9, true), partition(orders_id, 0, 7),
        partition(orders_id, 1, 7), partition(orders_id, 2, 8),
        {keys::topic_config(orders_id), encode(ConfigMap{{"segment.ms", "5"}}), Revision{9}}};
    std::mt19937 random{3};
    for (int round = 0; round < 50; ++round) {
        std::shuffle(parts.begin(), parts.end(), random);
        StoreView view{{}};
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto delta = view.apply({&parts[i], 1}, {});
            EXPECT_EQ(delta.topics.size(), i + 1 == parts.size() ? 1u : 0u);
        }
        EXPECT_EQ(view.image().topic("orders")->config.segment_ms.count(), 5);
        EXPECT_TRUE(view.apply(parts, {}).empty()) << "what was known changes nothing";
    }
}

TEST(StoreView, AnOldEventDoesNotBringADeletedTopicBack) {
    StoreView view{{}};
    const std::vector<KeyValue> parts{partition(orders_id, 0, 3),
                                      record("orders", orders_id, 1, 3)};
    view.apply(parts, {});
    const std::vector<sdk::KeyDeleted> gone{{keys::topic("orders"), Revision{5}}};
    EXPECT_EQ(view.apply({}, gone).topics_gone.size(), 1u);
    EXPECT_TRUE(view.apply(parts, {}).empty());
    EXPECT_EQ(view.image().topic("orders"), nullptr);
}

TEST(StoreView, EpochsNeverGoDown) {
    StoreView view{{}};
    view.apply(std::vector{partition(orders_id, 0, 3, 7), record("orders", orders_id, 1, 3)}, {});
    view.apply(std::vector{partition(orders_id, 0, 2, 9)}, {});
    EXPECT_EQ(view.image().partition(orders_id, 0)->leader_epoch.value, 7);
    view.apply(std::vector{partition(orders_id, 0, 4, 6)}, {});
    EXPECT_EQ(view.image().partition(orders_id, 0)->leader_epoch.value, 7);
    EXPECT_EQ(view.take_complaints().size(), 1u);
    view.apply(std::vector{partition(orders_id, 0, 5, 8)}, {});
    EXPECT_EQ(view.image().partition(orders_id, 0)->leader_epoch.value, 8);
}

TEST(StoreView, AReadThatIsOlderTakesNothingBack) {
    StoreView view{{}};
    view.apply(std::vector{partition(orders_id, 0, 8), record("orders", orders_id, 1, 8)}, {});
    EXPECT_TRUE(view.reset({.revision = Revision{7}, .entries = {}}).empty());
    EXPECT_NE(view.image().topic("orders"), nullptr);
    EXPECT_EQ(view.reset({.revision = Revision{9}, .entries = {}}).topics_gone.size(), 1u);
}

TEST(StoreView, ANameThatChangedHandsBetweenTwoReadsIsAnotherTopic) {
    StoreView view{{}};
    const sdk::Uuid other{{2}};
    view.apply(std::vector{partition(orders_id, 0, 3), record("orders", orders_id, 1, 3)}, {});
    const auto delta =
        view.reset({.revision = Revision{9},
                    .entries = {partition(other, 0, 8), record("orders", other, 1, 8)}});
    EXPECT_EQ(delta.topics_gone.size(), 1u);
    EXPECT_EQ(view.image().topic("orders")->id, other);
}

TEST(StoreView, PartitionsWithoutATopicAreStrays) {
    StoreView view{{}};
    view.apply(std::vector{partition(orders_id, 0, 3), partition(orders_id, 4, 3)}, {});
    const auto strays = view.strays();
    ASSERT_EQ(strays.size(), 1u);
    EXPECT_EQ(strays[0].partitions, (std::vector<std::int32_t>{0, 4}));
    const DeletionRecord deletion{.name = "orders", .id = orders_id, .partitions = 5};
    view.apply(std::vector{KeyValue{keys::deletion(orders_id), encode(deletion), Revision{4}}}, {});
    EXPECT_TRUE(view.strays().empty());
    EXPECT_EQ(view.deletions().size(), 1u);
}

TEST(StoreView, GarbageIsReportedAndHurtsNobodyElse) {
    StoreView view{{}};
    view.apply(std::vector{KeyValue{keys::topic("bad"), "{", Revision{2}},
                           KeyValue{keys::partition({{9}}, 0), "[]", Revision{2}},
                           partition(orders_id, 0, 3), record("orders", orders_id, 1, 3)},
               {});
    EXPECT_EQ(view.take_complaints().size(), 2u);
    EXPECT_NE(view.image().topic("orders"), nullptr);
}

}  // namespace
}  // namespace leat::cluster
