#include "core/broker/metadata.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "core/cluster/records.h"
#include "tests/broker/metadata_bed.h"

namespace leat::broker {
namespace {

using sdk::testing::CoordinationModel;
using sdk::testing::ModelBackend;
using testing::TestBroker;
using wire::ErrorCode;

std::size_t keys_under(const CoordinationModel& model, std::string_view prefix) {
    return model.entries(prefix).size();
}

TEST(Metadata, AFreshBrokerMakesTheClusterRegistersAndBecomesTheController) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    for (std::size_t shard : {0u, 1u}) {
        const auto& image = broker.image(shard);
        EXPECT_EQ(image.facts().cluster_id.size(), 22u);
        EXPECT_EQ(image.facts().controller, sdk::NodeId{1});
        EXPECT_EQ(image.facts().controller_epoch, 0);
        ASSERT_NE(image.broker(sdk::NodeId{1}), nullptr);
        EXPECT_EQ(image.broker(sdk::NodeId{1})->endpoint("plain")->port, 9092);
        EXPECT_EQ(broker.metadata->standing(shard), Standing::serving);
    }
}

TEST(Metadata, ACreatedTopicIsOnEveryShardWhenTheAnswerComes) {
    CoordinationModel model;
    TestBroker broker{model, {}, 4};
    ASSERT_TRUE(broker.becomes_ready());
    bool everywhere = false;
    broker.metadata->create_topics(
        {.topics = {{.name = "orders", .partitions = 3}}}, broker.shards.at(3), [&](auto created) {
            ASSERT_EQ(created.at(0).error, ErrorCode::none) << created.at(0).message;
            everywhere = true;
            for (std::size_t shard = 0; shard < 4; ++shard) {
                const auto* topic = broker.image(shard).topic("orders");
                everywhere = everywhere && topic != nullptr && topic->partitions.size() == 3 &&
                             topic->partitions[2].leader == sdk::NodeId{1} &&
                             topic->partitions[2].leader_epoch == sdk::LeaderEpoch{0};
            }
        });
    EXPECT_TRUE(broker.shards.run_until([&] { return everywhere; }));
    EXPECT_EQ(broker.listeners[2].made, 1);
}

TEST(Metadata, AStopAnswersWhoWaitsForATopicToComeOrGo) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    ASSERT_EQ(broker.create("old").error, ErrorCode::none);
    model.set_faults({.most_delay = std::chrono::seconds{10}});
    std::optional<ErrorCode> created, deleted;
    broker.metadata->create_topics({.topics = {{.name = "new"}}, .timeout_ms = 60'000},
                                   broker.shards.at(1),
                                   [&](auto answer) { created = answer.at(0).error; });
    broker.metadata->delete_topics({{.name = "old"}}, 60'000, broker.shards.at(1),
                                   [&](auto answer) { deleted = answer.at(0).error; });
    broker.shards.settle();
    ASSERT_FALSE(created || deleted);
    broker.metadata->stop([] {});
    broker.shards.settle();
    EXPECT_EQ(created, ErrorCode::request_timed_out) << "it may still come";
    EXPECT_EQ(deleted, ErrorCode::request_timed_out);
}

TEST(Metadata, ATopicOfThousandsOfPartitionsIsNeverHalfVisible) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    EXPECT_EQ(broker.create("wide", 2500).error, ErrorCode::none);
    EXPECT_EQ(broker.image(1).partition_count(), 2500u);
    EXPECT_TRUE(broker.listeners[1].whole);
    EXPECT_EQ(broker.listeners[1].made, 1);
    EXPECT_EQ(broker.remove({.name = "wide"}).error, ErrorCode::none);
    EXPECT_EQ(broker.image(1).partition_count(), 0u);
    EXPECT_TRUE(broker.shards.run_until([&] { return keys_under(model, "/partitions/") == 0; }));
    EXPECT_TRUE(broker.shards.run_until([&] { return keys_under(model, "/deletions/") == 0; }));
}

TEST(Metadata, ARestartFindsItsTopicsWithTheSameIdsAndEpochs) {
    CoordinationModel model;
    sdk::Uuid id;
    std::string cluster_id;
    {
        TestBroker broker{model, {}};
        ASSERT_TRUE(broker.becomes_ready());
        id = broker.create("orders", 2).topic->id;
        cluster_id = broker.image().facts().cluster_id;
    }
    TestBroker again{model, {.seed = 2}};
    ASSERT_TRUE(again.becomes_ready());
    const auto* topic = again.image(1).topic("orders");
    ASSERT_NE(topic, nullptr);
    EXPECT_EQ(topic->id, id);
    EXPECT_EQ(topic->partitions[1].leader, sdk::NodeId{1});
    EXPECT_EQ(topic->partitions[1].leader_epoch, sdk::LeaderEpoch{0});
    EXPECT_EQ(again.image().facts().cluster_id, cluster_id);
    EXPECT_EQ(again.image().facts().controller_epoch, 1);
}

TEST(Metadata, ANameIsFreeAsSoonAsItsTopicIsDeleted) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    std::set<sdk::Uuid> ids;
    for (int round = 0; round < 20; ++round) {
        const auto created = broker.create("again");
        ASSERT_EQ(created.error, ErrorCode::none) << created.message;
        ids.insert(created.topic->id);
        const auto deleted = round % 2 == 0 ? broker.remove({.name = "again"})
                                            : broker.remove({.id = created.topic->id});
        ASSERT_EQ(deleted.error, ErrorCode::none) << deleted.message;
        EXPECT_EQ(deleted.name, "again");
        EXPECT_EQ(broker.image(1).topic("again"), nullptr);
    }
    EXPECT_EQ(ids.size(), 20u);
}

TEST(Metadata, ManyWhoNameOneTopicMakeItOnce) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    std::set<sdk::Uuid> ids;
    int answers = 0;
    for (int i = 0; i < 50; ++i) {
        broker.metadata->auto_create("fresh", broker.shards.at(1), [&](auto created) {
            ++answers;
            ASSERT_EQ(created.error, ErrorCode::none) << created.message;
            ids.insert(created.topic->id);
            EXPECT_NE(broker.image(1).topic("fresh"), nullptr);
        });
    }
    EXPECT_TRUE(broker.shards.run_until([&] { return answers == 50; }));
    EXPECT_EQ(ids.size(), 1u);
}

TEST(Metadata, TopicsAreNotMadeByThemselvesWhereThatIsForbidden) {
    CoordinationModel model;
    TestBroker broker{model, {.auto_create = false}};
    ASSERT_TRUE(broker.becomes_ready());
    std::optional<cluster::CreatedTopic> answer;
    broker.metadata->auto_create("fresh", broker.shards.at(1), [&](auto got) { answer = got; });
    ASSERT_TRUE(broker.shards.run_until([&] { return answer.has_value(); }));
    EXPECT_EQ(answer->error, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(keys_under(model, "/topics/"), 0u);
}

TEST(Metadata, ProducerIdsAreNeverHandedOutTwice) {
    CoordinationModel model;
    std::set<std::int64_t> ids;
    for (std::uint64_t run = 1; run <= 3; ++run) {
        TestBroker broker{model, {.seed = run}};
        ASSERT_TRUE(broker.becomes_ready());
        for (int i = 0; i < 1500; ++i) {
            if (i % 700 == 3) broker.backend->inject(ModelBackend::Injected::lost_committed);
            const auto got = broker.producer_id();
            ASSERT_EQ(got.error, ErrorCode::none);
            EXPECT_TRUE(ids.insert(got.id).second) << got.id;
        }
    }
    EXPECT_EQ(ids.size(), 4500u);
}

TEST(Metadata, ALostAnswerToACreationIsLookedUpNotGuessed) {
    for (const auto injected :
         {ModelBackend::Injected::lost_committed, ModelBackend::Injected::lost_uncommitted}) {
        CoordinationModel model;
        TestBroker broker{model, {}};
        ASSERT_TRUE(broker.becomes_ready());
        broker.backend->inject(injected);
        const auto created = broker.create("orders", 5);
        EXPECT_EQ(created.error, ErrorCode::none) << created.message;
        EXPECT_EQ(keys_under(model, "/partitions/"), 5u);
        broker.backend->inject(injected);
        EXPECT_EQ(broker.remove({.name = "orders"}).error, ErrorCode::none);
        EXPECT_EQ(broker.image(1).topic("orders"), nullptr);
    }
}

TEST(Metadata, ASecondBrokerOfTheSameIdIsRefusedWithASentence) {
    CoordinationModel model;
    TestBroker first{model, {}};
    ASSERT_TRUE(first.becomes_ready());
    TestBroker second{model, {.directory = 2, .seed = 2}};
    ASSERT_TRUE(second.shards.run_until([&] { return second.ready.has_value(); }));
    ASSERT_FALSE(second.ready->has_value());
    EXPECT_NE(second.ready->error().what.find("node id 1"), std::string::npos);
    EXPECT_EQ(first.metadata->standing(0), Standing::serving);
}

TEST(Metadata, ABrokerThatWasKilledReplacesWhatItLeftBehind) {
    CoordinationModel model;
    sdk::testing::ManualShard world;
    model.let_sessions_linger(world);
    {
        TestBroker killed{model, {}};
        ASSERT_TRUE(killed.becomes_ready());
    }
    ASSERT_EQ(keys_under(model, "/brokers/ids/"), 1u);
    TestBroker again{model, {.seed = 2}};
    ASSERT_TRUE(again.becomes_ready());
    EXPECT_EQ(again.image().facts().controller_epoch, 1);
    world.advance(std::chrono::minutes{1});  // The old session ends; the new entries stay.
    again.shards.settle();
    EXPECT_EQ(keys_under(model, "/brokers/ids/"), 1u);
    EXPECT_EQ(again.create("orders").error, ErrorCode::none);
}

TEST(Metadata, ALostSessionFencesAtOnceAndANewOneServesAgain) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    const auto first_epoch = broker.image().broker(sdk::NodeId{1})->epoch;
    broker.backend->lose_session();
    broker.shards.settle();
    EXPECT_EQ(broker.metadata->standing(1), Standing::fenced);
    EXPECT_EQ(broker.create("early").error, ErrorCode::not_controller);
    EXPECT_TRUE(
        broker.shards.run_until([&] { return broker.metadata->standing(1) == Standing::serving; }));
    EXPECT_GT(broker.image().broker(sdk::NodeId{1})->epoch, first_epoch);
    EXPECT_EQ(broker.create("late").error, ErrorCode::none);
}

TEST(Metadata, ASilentStoreFencesByTheBrokersOwnClock) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    broker.backend->suspend();
    broker.shards.settle();
    EXPECT_EQ(broker.metadata->standing(0), Standing::serving);
    broker.shards.home().advance(std::chrono::seconds{5});
    broker.shards.settle();
    EXPECT_EQ(broker.metadata->standing(1), Standing::fenced);
    broker.backend->resume();
    EXPECT_TRUE(
        broker.shards.run_until([&] { return broker.metadata->standing(1) == Standing::serving; }));
}

TEST(Metadata, WhatADeadControllerLeftHalfMadeIsCleanedUp) {
    CoordinationModel model;
    {
        TestBroker broker{model, {}};
        ASSERT_TRUE(broker.becomes_ready());
        broker.metadata->create_topics({.topics = {{.name = "half", .partitions = 2500}}},
                                       broker.shards.at(0), [](auto) {});
        // It dies as soon as the first partitions are stored.
        while (keys_under(model, "/partitions/") == 0) broker.shards.home().run_ready();
    }
    TestBroker next{model, {.seed = 2}};
    ASSERT_TRUE(next.becomes_ready());
    if (next.image().topic("half") == nullptr) {
        EXPECT_TRUE(next.shards.run_until([&] { return keys_under(model, "/partitions/") == 0; }));
    }
    EXPECT_EQ(next.complaints, std::vector<std::string>{});
}

}  // namespace
}  // namespace leat::broker
