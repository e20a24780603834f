// More partitions and other configs for topics that exist.
#include <gtest/gtest.h>

#include <optional>

#include "core/broker/metadata.h"
#include "core/cluster/records.h"
#include "tests/broker/metadata_bed.h"

namespace leat::broker {
namespace {

using sdk::testing::CoordinationModel;
using sdk::testing::ModelBackend;
using testing::TestBroker;
using wire::ErrorCode;

TEST(MetadataChanges, NewPartitionsAreOnEveryShardWhenTheAnswerComes) {
    CoordinationModel model;
    TestBroker broker{model, {}, 4};
    ASSERT_TRUE(broker.becomes_ready());
    ASSERT_EQ(broker.create("t", 2).error, ErrorCode::none);
    bool everywhere = false;
    broker.metadata->create_partitions(
        {.topics = {{.topic = "t", .count = 500}}}, broker.shards.at(3), [&](auto changed) {
            ASSERT_EQ(changed.at(0).error, ErrorCode::none) << changed.at(0).message;
            everywhere = true;
            for (std::size_t shard = 0; shard < 4; ++shard) {
                const auto* topic = broker.image(shard).topic("t");
                everywhere = everywhere && topic->partitions.size() == 500 &&
                             topic->partitions[499].leader == sdk::NodeId{1};
            }
        });
    EXPECT_TRUE(broker.shards.run_until([&] { return everywhere; }));
    EXPECT_EQ(broker.image(1).partition_count(), 500u);
    EXPECT_TRUE(broker.listeners[1].whole) << "never half visible";
}

TEST(MetadataChanges, ANewConfigIsOnEveryShardWhenTheAnswerComesAndOutlivesARestart) {
    CoordinationModel model;
    {
        TestBroker broker{model, {}};
        ASSERT_TRUE(broker.becomes_ready());
        ASSERT_EQ(broker.create("t").error, ErrorCode::none);
        ASSERT_EQ(broker.configure("t", "retention.ms", "77").error, ErrorCode::none);
        for (std::size_t shard : {0u, 1u}) {
            EXPECT_EQ(broker.image(shard).topic("t")->config.retention_ms, 77);
        }
        ASSERT_EQ(broker.grow("t", 3).error, ErrorCode::none);
    }
    TestBroker again{model, {.seed = 2}};
    ASSERT_TRUE(again.becomes_ready());
    EXPECT_EQ(again.image(1).topic("t")->config.retention_ms, 77);
    EXPECT_EQ(again.image(1).topic("t")->partitions.size(), 3u);
}

TEST(MetadataChanges, OnlyToBeLookedAtChangesNothing) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    ASSERT_EQ(broker.create("t").error, ErrorCode::none);
    const auto before = model.revision();
    std::optional<ErrorCode> grown, configured;
    broker.metadata->create_partitions(
        {.topics = {{.topic = "t", .count = 5}}, .validate_only = true}, broker.shards.at(0),
        [&](auto changed) { grown = changed.at(0).error; });
    broker.metadata->alter_configs(
        {.topics = {{.topic = "t", .changes = {{.name = "retention.ms", .value = "1"}}}},
         .validate_only = true},
        broker.shards.at(0), [&](auto changed) { configured = changed.at(0).error; });
    ASSERT_TRUE(broker.shards.run_until([&] { return grown && configured; }));
    EXPECT_EQ(grown, ErrorCode::none);
    EXPECT_EQ(configured, ErrorCode::none);
    EXPECT_EQ(model.revision(), before);
}

TEST(MetadataChanges, EachTopicOfARequestHasAnAnswerAndATopicNamedTwiceIsRefused) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    ASSERT_EQ(broker.create("a").error, ErrorCode::none);
    ASSERT_EQ(broker.create("b").error, ErrorCode::none);
    std::optional<std::vector<cluster::ChangedTopic>> answer;
    broker.metadata->create_partitions({.topics = {{.topic = "a", .count = 2},
                                                   {.topic = "b", .count = 2},
                                                   {.topic = "none", .count = 2},
                                                   {.topic = "a", .count = 3}}},
                                       broker.shards.at(1), [&](auto all) { answer = all; });
    ASSERT_TRUE(broker.shards.run_until([&] { return answer.has_value(); }));
    ASSERT_EQ(answer->size(), 3u);
    EXPECT_EQ(answer->at(0).error, ErrorCode::invalid_request);
    EXPECT_EQ(answer->at(1).error, ErrorCode::none);
    EXPECT_EQ(answer->at(2).error, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(broker.image().topic("a")->partitions.size(), 1u);
}

TEST(MetadataChanges, AlterationsOfOneTopicAreAllKeptWhenTheyComeTogether) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    ASSERT_EQ(broker.create("t").error, ErrorCode::none);
    int done = 0;
    const auto set = [&](const std::string& name, const std::string& value) {
        broker.metadata->alter_configs(
            {.topics = {{.topic = "t", .changes = {{.name = name, .value = value}}}}},
            broker.shards.at(1), [&](auto changed) {
                EXPECT_EQ(changed.at(0).error, ErrorCode::none) << changed.at(0).message;
                ++done;
            });
    };
    set("retention.ms", "1");
    set("segment.ms", "2");
    set("flush.ms", "3");
    ASSERT_TRUE(broker.shards.run_until([&] { return done == 3; }));
    EXPECT_EQ(broker.image(1).topic("t")->overrides.size(), 3u);
}

TEST(MetadataChanges, ATopicThatIsDeletedMeanwhileStaysDeleted) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    ASSERT_EQ(broker.create("t").error, ErrorCode::none);
    std::optional<ErrorCode> grown, deleted, late;
    auto& shard = broker.shards.at(0);
    broker.metadata->create_partitions({.topics = {{.topic = "t", .count = 3}}}, shard,
                                       [&](auto changed) { grown = changed.at(0).error; });
    broker.metadata->delete_topics({{.name = "t"}}, 30'000, shard,
                                   [&](auto gone) { deleted = gone.at(0).error; });
    broker.metadata->create_partitions({.topics = {{.topic = "t", .count = 9}}}, shard,
                                       [&](auto changed) { late = changed.at(0).error; });
    ASSERT_TRUE(broker.shards.run_until([&] { return grown && deleted && late; }));
    EXPECT_EQ(grown, ErrorCode::none);
    EXPECT_EQ(deleted, ErrorCode::none);
    EXPECT_EQ(late, ErrorCode::unknown_topic_or_partition);
    EXPECT_TRUE(broker.shards.run_until([&] { return model.entries("/partitions/").empty(); }));
    EXPECT_EQ(broker.image(1).topic("t"), nullptr);
    EXPECT_TRUE(model.entries("/topics/").empty());
}

TEST(MetadataChanges, ALostAnswerIsLookedUpNotGuessed) {
    for (const auto injected :
         {ModelBackend::Injected::lost_committed, ModelBackend::Injected::lost_uncommitted}) {
        CoordinationModel model;
        TestBroker broker{model, {}};
        ASSERT_TRUE(broker.becomes_ready());
        ASSERT_EQ(broker.create("t").error, ErrorCode::none);
        broker.backend->inject(injected);
        EXPECT_EQ(broker.grow("t", 4).error, ErrorCode::none);
        broker.backend->inject(injected);
        EXPECT_EQ(broker.configure("t", "retention.ms", "9").error, ErrorCode::none);
        EXPECT_EQ(broker.image(1).topic("t")->partitions.size(), 4u);
        EXPECT_EQ(broker.image(1).topic("t")->config.retention_ms, 9);
    }
}

TEST(MetadataChanges, AGrowthThatADeadControllerBeganCanBeMadeAgain) {
    CoordinationModel model;
    {
        TestBroker broker{model, {}};
        ASSERT_TRUE(broker.becomes_ready());
        ASSERT_EQ(broker.create("t").error, ErrorCode::none);
        broker.metadata->create_partitions({.topics = {{.topic = "t", .count = 400}}},
                                           broker.shards.at(0), [](auto) {});
        // It dies as soon as the first of them are stored.
        while (model.entries("/partitions/").size() == 1) broker.shards.home().run_ready();
    }
    TestBroker next{model, {.seed = 2}};
    ASSERT_TRUE(next.becomes_ready());
    const auto there = next.image().topic("t")->partitions.size();
    if (there == 1) {
        EXPECT_EQ(next.grow("t", 300).error, ErrorCode::none);
        EXPECT_EQ(next.image(1).topic("t")->partitions.size(), 300u);
    }
    EXPECT_EQ(next.remove({.name = "t"}).error, ErrorCode::none);
    EXPECT_TRUE(next.shards.run_until([&] { return model.entries("/partitions/").empty(); }))
        << "those behind the last one, too";
    EXPECT_EQ(next.complaints, std::vector<std::string>{});
}

TEST(MetadataChanges, AStopAnswersWhoWaits) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    ASSERT_EQ(broker.create("t").error, ErrorCode::none);
    model.set_faults({.most_delay = std::chrono::seconds{10}});
    std::optional<ErrorCode> grown;
    broker.metadata->create_partitions({.topics = {{.topic = "t", .count = 3}}},
                                       broker.shards.at(1),
                                       [&](auto changed) { grown = changed.at(0).error; });
    broker.shards.settle();
    ASSERT_FALSE(grown);
    broker.metadata->stop([] {});
    broker.shards.settle();
    EXPECT_EQ(grown, ErrorCode::request_timed_out);
}

}  // namespace
}  // namespace leat::broker
