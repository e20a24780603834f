// The layers of configs below a topic's own, and how the store's values reach topics.
#include "core/cluster/broker_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/cluster/store_view.h"
#include "core/cluster/topic_change.h"

namespace leat::cluster {
namespace {

using sdk::KeyValue;
using sdk::NodeId;
using sdk::Revision;
using wire::ErrorCode;

const sdk::Uuid orders_id{{1}};
const ConfigMap file{{"segment.ms", "600"}};

KeyValue configs_of(std::optional<NodeId> broker, const ConfigMap& configs,
                    std::uint64_t revision) {
    return {keys::broker_config(broker), encode(configs), Revision{revision}};
}

std::vector<KeyValue> orders() {
    const sdk::PartitionState state{
        .replicas = {{1}}, .in_sync = {{1}}, .leader = NodeId{1}, .leader_epoch = {0}};
    const TopicRecord record{.name = "orders", .id = orders_id, .partitions = 1};
    return {{keys::partition(orders_id, 0), encode(state), Revision{1}},
            {keys::topic("orders"), encode(record), Revision{1}}};
}

TEST(BrokerConfig, ThoseOfTheTopicConfigsThatHaveAnEffectChangeAndNoOthers) {
    EXPECT_EQ(find_broker_config("log.retention.ms")->name, "retention.ms");
    EXPECT_EQ(find_broker_config("message.max.bytes")->name, "max.message.bytes");
    for (const char* name : {"retention.ms", "compression.type", "log.dirs", "", "leat.validation",
                             "log.segment.delete.delay.ms"}) {
        EXPECT_EQ(find_broker_config(name), nullptr) << name;
    }
    for (const auto& key : topic_config_keys()) {
        const bool effective = key.effect == ConfigEffect::effective && !key.broker_name.empty();
        EXPECT_EQ(find_broker_config(key.broker_name) != nullptr, effective) << key.name;
    }
}

TEST(BrokerConfig, WhatDoesNotParseInALayerCountsAsUnsetThere) {
    const BrokerConfigs brokers{.all_brokers = {{"log.roll.ms", "700"}},
                                .own = {{"log.roll.ms", "soon"}, {"log.new", "1"}}};
    const auto defaults = topic_defaults(file, brokers);
    EXPECT_EQ(defaults, (TopicConfigs{{"segment.ms", "700"}}));
}

TEST(BrokerConfig, TopicsGoByItInWhateverOrderTheStoresValuesCome) {
    auto parts = orders();
    parts.push_back(configs_of(std::nullopt, {{"log.roll.ms", "700"}}, 2));
    parts.push_back(configs_of(NodeId{1}, {{"log.segment.bytes", "2000000"}}, 3));
    parts.push_back(configs_of(NodeId{2}, {{"log.roll.ms", "9"}}, 4));
    std::mt19937 random{5};
    for (int round = 0; round < 30; ++round) {
        std::shuffle(parts.begin(), parts.end(), random);
        StoreView view{file, NodeId{1}};
        for (const auto& part : parts) view.apply({&part, 1}, {});
        const auto& config = view.image().topic("orders")->config;
        EXPECT_EQ(config.segment_ms.count(), 700) << "another broker's does not count";
        EXPECT_EQ(config.segment_bytes, 2'000'000);
        EXPECT_TRUE(view.apply(parts, {}).empty()) << "what was known changes nothing";
    }
}

TEST(BrokerConfig, ATopicsOwnStaysAndWhatIsTakenBackFallsToTheLayerBelow) {
    StoreView view{file, NodeId{1}};
    view.apply(orders(), {});
    const auto roll = [&] { return view.image().topic("orders")->config.segment_ms.count(); };
    const auto set = [&](ConfigMap configs, std::uint64_t revision) {
        return view.apply(std::vector{configs_of(NodeId{1}, configs, revision)}, {});
    };
    EXPECT_EQ(roll(), 600);
    const auto delta = set({{"log.roll.ms", "700"}}, 2);
    EXPECT_EQ(delta.topics.size(), 1u);
    EXPECT_TRUE(delta.broker_configs);
    EXPECT_EQ(roll(), 700);
    EXPECT_TRUE(set({{"log.roll.ms", "700"}}, 3).empty()) << "the same again";
    set({}, 4);
    EXPECT_EQ(roll(), 600);
    EXPECT_EQ(view.topic_defaults(), file);
}

TEST(BrokerConfig, AValueThatCannotBeUnderstoodIsComplainedOfAndIgnored) {
    StoreView view{file, NodeId{1}};
    view.apply(orders(), {});
    view.apply(std::vector{KeyValue{keys::broker_config(NodeId{1}), "{nonsense", Revision{2}}}, {});
    EXPECT_EQ(view.image().topic("orders")->config.segment_ms.count(), 600);
    EXPECT_FALSE(view.take_complaints().empty());
}

TEST(BrokerConfig, AChangeIsCheckedAgainstWhatItHasSeen) {
    StoreView view{file, NodeId{1}};
    view.apply(std::vector{configs_of(std::nullopt, {{"log.roll.ms", "700"}}, 7)}, {});
    const auto planned =
        plan_broker_configs({.changes = {{.name = "log.segment.bytes", .value = "2000000"}}}, view);
    const auto& configs = std::get<ConfigMap>(planned);
    EXPECT_EQ(configs.size(), 2u) << "what was set before stays";
    const sdk::Check fence{std::string{keys::controller_epoch}, Revision{99}};
    const auto stages = broker_config_stages(std::nullopt, configs, view, fence);
    ASSERT_EQ(stages.size(), 1u);
    const auto& checks = stages[0].at(0).checks;
    ASSERT_EQ(checks.size(), 2u);
    EXPECT_EQ(checks[0].key, keys::controller_epoch);
    EXPECT_EQ(checks[1].key, "/config/brokers/default");
    EXPECT_EQ(checks[1].revision, Revision{7});
}

TEST(BrokerConfig, WhatANewerBrokerSetDoesNotHinderOtherChanges) {
    StoreView view{file, NodeId{1}};
    view.apply(std::vector{configs_of(NodeId{1}, {{"log.new", "1"}}, 7)}, {});
    const auto planned = plan_broker_configs(
        {.broker = NodeId{1}, .changes = {{.name = "log.roll.ms", .value = "5"}}}, view);
    EXPECT_EQ(std::get<ConfigMap>(planned), (ConfigMap{{"log.new", "1"}, {"log.roll.ms", "5"}}));
    const auto refused = plan_broker_configs(
        {.broker = NodeId{1}, .changes = {{.name = "log.new", .value = "2"}}}, view);
    EXPECT_EQ(std::get<TopicRefusal>(refused).error, ErrorCode::invalid_request);
}

}  // namespace
}  // namespace leat::cluster
