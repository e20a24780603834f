#include "core/cluster/topic_change.h"

#include <gtest/gtest.h>

namespace leat::cluster {
namespace {

using sdk::NodeId;
using sdk::Revision;
using wire::ErrorCode;
using Operation = ConfigOperation;

class OneOrMore final : public sdk::ReplicationPolicy {
public:
    sdk::Offset high_watermark(const sdk::LeaderView& view) const override { return view.log_end; }
    sdk::AckDecision before_append(const sdk::LeaderView&) const override {
        return sdk::AckDecision::satisfied;
    }
    sdk::AckDecision acknowledge(const sdk::LeaderView&, sdk::Offset) const override {
        return sdk::AckDecision::satisfied;
    }
    std::optional<std::vector<NodeId>> in_sync_change(const sdk::LeaderView&) const override {
        return std::nullopt;
    }
    sdk::ElectionEvidence evidence() const override { return sdk::ElectionEvidence::none; }
    sdk::PartitionState elect(const sdk::ElectionView& view) const override { return view.state; }
    sdk::Result<sdk::PartitionState> initial(std::vector<NodeId> replicas) const override {
        return sdk::PartitionState{
            .replicas = replicas, .in_sync = replicas, .leader = replicas[0], .leader_epoch = {0}};
    }
};

// Topic "t" has two partitions of one replica each, in a cluster of brokers 1 and 2.
class TopicChanges : public ::testing::Test {
protected:
    TopicChanges() {
        for (std::int32_t node : {1, 2}) {
            put(keys::broker(NodeId{node}), encode(BrokerRecord{.node = NodeId{node}}));
        }
        put_partition(0);
        put_partition(1);
        put(keys::topic_config(id_), encode(ConfigMap{{"cleanup.policy", "compact"}}));
        put(keys::topic("t"), encode(TopicRecord{.name = "t",
                                                 .id = id_,
                                                 .partitions = 2,
                                                 .storage = "fast",
                                                 .replication = "any",
                                                 .configured = true}));
    }
    void put(std::string key, std::string value) {
        view_.apply(
            std::vector{sdk::KeyValue{std::move(key), std::move(value), Revision{++revision_}}},
            {});
    }
    void put_partition(std::int32_t index, std::int32_t epoch = 0) {
        auto state = *policy_.initial({{1}});
        state.leader_epoch = {epoch};
        put(keys::partition(id_, index), encode(state));
    }
    // Brings into the view what the transactions would.
    void commit(const Stages& stages) {
        for (const auto& stage : stages) {
            for (const auto& transaction : stage) {
                for (const auto& operation : transaction.operations) {
                    const auto& put_it = std::get<sdk::Put>(operation);
                    put(put_it.key, put_it.value);
                }
            }
        }
    }

    std::variant<GrowthPlan, TopicRefusal> grow(const MorePartitions& wanted) {
        return plan_growth(wanted, view_,
                           {.policies = {{"any", &policy_}}, .most_partitions = 900});
    }
    ErrorCode growth_refused(const MorePartitions& wanted) {
        const auto planned = grow(wanted);
        const auto* refused = std::get_if<TopicRefusal>(&planned);
        if (refused == nullptr) return ErrorCode::none;
        EXPECT_FALSE(refused->message.empty());
        return refused->error;
    }

    std::variant<ConfigMap, TopicRefusal> configure(std::vector<ConfigChange> changes,
                                                    bool replace = false,
                                                    const std::string& topic = "t") {
        return plan_configs({.topic = topic, .replace = replace, .changes = std::move(changes)},
                            view_);
    }
    ConfigMap configured(std::vector<ConfigChange> changes, bool replace = false) {
        const auto planned = configure(std::move(changes), replace);
        const auto* refused = std::get_if<TopicRefusal>(&planned);
        EXPECT_EQ(refused, nullptr) << refused->message;
        return refused == nullptr ? std::get<ConfigMap>(planned) : ConfigMap{};
    }
    ErrorCode config_refused(std::vector<ConfigChange> changes, const std::string& topic = "t") {
        const auto planned = configure(std::move(changes), false, topic);
        const auto* refused = std::get_if<TopicRefusal>(&planned);
        return refused == nullptr ? ErrorCode::none : refused->error;
    }

    const sdk::Uuid id_{{7}};
    const sdk::Check fence_{std::string{keys::controller_epoch}, Revision{99}};
    OneOrMore policy_;
    StoreView view_{{}};
    std::uint64_t revision_ = 0;
};

TEST_F(TopicChanges, OnlyMorePartitionsThanThereAreCanBeMade) {
    EXPECT_EQ(growth_refused({.topic = "t", .count = 3}), ErrorCode::none);
    EXPECT_EQ(growth_refused({.topic = "t", .count = 2}), ErrorCode::invalid_partitions);
    EXPECT_EQ(growth_refused({.topic = "t", .count = 1}), ErrorCode::invalid_partitions);
    EXPECT_EQ(growth_refused({.topic = "t", .count = -1}), ErrorCode::invalid_partitions);
    EXPECT_EQ(growth_refused({.topic = "t", .count = 901}), ErrorCode::policy_violation);
    EXPECT_EQ(growth_refused({.topic = "t", .count = INT32_MAX}), ErrorCode::policy_violation);
    EXPECT_EQ(growth_refused({.topic = "u", .count = 3}), ErrorCode::unknown_topic_or_partition);
}

TEST_F(TopicChanges, AnAssignmentNamesTheReplicasOfEachNewPartition) {
    using Replicas = std::vector<std::vector<NodeId>>;
    const auto with = [this](Replicas replicas) {
        return growth_refused({.topic = "t", .count = 4, .assignments = std::move(replicas)});
    };
    EXPECT_EQ(with({{{1}}, {{2}}}), ErrorCode::none);
    for (const auto& wrong : {Replicas{}, Replicas{{{1}}}, Replicas{{{1}}, {}},
                              Replicas{{{1}}, {{3}}}, Replicas{{{1}}, {{1}, {2}}}}) {
        EXPECT_EQ(with(wrong), ErrorCode::invalid_replica_assignment);
    }
    const auto plan = std::get<GrowthPlan>(
        grow({.topic = "t", .count = 4, .assignments = Replicas{{{2}}, {{1}}}}));
    EXPECT_EQ(plan.first, 2);
    EXPECT_EQ(plan.record.partitions, 4);
    EXPECT_EQ(plan.added.at(0).leader, NodeId{2});
    EXPECT_EQ(plan.added.at(1).leader, NodeId{1});
}

TEST_F(TopicChanges, GrowthIsFencedWithinTheStoresLimitsAndShowsWhenTheRecordComes) {
    const auto plan = std::get<GrowthPlan>(grow({.topic = "t", .count = 300}));
    const auto stages = growth_stages(plan, view_, fence_);
    ASSERT_EQ(stages.size(), 2u);
    for (const auto& stage : stages) {
        for (const auto& transaction : stage) {
            EXPECT_LE(transaction.checks.size() + transaction.operations.size(),
                      sdk::most_operations);
            EXPECT_EQ(transaction.checks.at(0).key, fence_.key);
        }
    }
    EXPECT_EQ(stages[1].at(0).checks.at(1).key, keys::partition(id_, 0))
        << "a topic that is deleted meanwhile does not come back";
    commit({stages[0]});
    EXPECT_EQ(view_.image().topic("t")->partitions.size(), 2u);
    EXPECT_FALSE(view_.shows(stages[1].at(0)));
    commit({stages[1]});
    EXPECT_EQ(view_.image().topic("t")->partitions.size(), 300u);
    EXPECT_TRUE(view_.shows(stages[1].at(0)));
}

TEST_F(TopicChanges, PartitionsThatADeadControllerLeftBehindAreWrittenOver) {
    put_partition(2, 5);
    const auto plan = std::get<GrowthPlan>(grow({.topic = "t", .count = 4}));
    const auto stages = growth_stages(plan, view_, fence_);
    const auto& last = stages.back().at(0);
    EXPECT_FALSE(view_.shows(last));
    EXPECT_EQ(last.checks.at(2).key, keys::partition(id_, 2));
    EXPECT_EQ(last.checks.at(2).revision, Revision{revision_});
    EXPECT_EQ(last.checks.at(3).revision, Revision{});
    commit(stages);
    EXPECT_EQ(view_.image().topic("t")->partitions.at(2).leader_epoch, sdk::LeaderEpoch{5})
        << "an epoch never goes down";
    EXPECT_TRUE(view_.take_complaints().empty());
}

TEST_F(TopicChanges, ConfigsAreSetAndDeletedOneByOneOrReplacedTogether) {
    EXPECT_EQ(configured({{"retention.ms", Operation::set, "5"}}),
              (ConfigMap{{"cleanup.policy", "compact"}, {"retention.ms", "5"}}));
    EXPECT_EQ(configured({{"cleanup.policy", Operation::remove, ""}}), ConfigMap{});
    EXPECT_EQ(configured({{"retention.ms", Operation::set, "5"}}, true),
              (ConfigMap{{"retention.ms", "5"}}));
    EXPECT_EQ(configured({{"retention.ms", Operation::remove, ""}}),
              (ConfigMap{{"cleanup.policy", "compact"}}));
    EXPECT_EQ(configured({}), (ConfigMap{{"cleanup.policy", "compact"}}));
}

TEST_F(TopicChanges, ListsTakeAndLoseSingleValues) {
    const auto cleanup = [this](Operation operation, std::string value) {
        return configured({{"cleanup.policy", operation, std::move(value)}})["cleanup.policy"];
    };
    EXPECT_EQ(cleanup(Operation::append, "delete"), "compact,delete");
    EXPECT_EQ(cleanup(Operation::append, "compact"), "compact") << "each value once";
    EXPECT_EQ(cleanup(Operation::append, "delete,compact"), "compact,delete");
    EXPECT_EQ(cleanup(Operation::subtract, "delete"), "compact");
    EXPECT_EQ(cleanup(Operation::append, ","), "compact") << "of which Java makes no parts";
    EXPECT_EQ(config_refused({{"retention.ms", Operation::append, "5"}}),
              ErrorCode::invalid_config);
    put(keys::topic_config(id_), encode(ConfigMap{}));
    EXPECT_EQ(cleanup(Operation::append, "compact"), "delete,compact") << "to the default";
}

TEST_F(TopicChanges, RefusesWithKafkasErrors) {
    EXPECT_EQ(config_refused({{"no.such.key", Operation::set, "1"}}), ErrorCode::invalid_config);
    EXPECT_EQ(config_refused({{"retention.ms", Operation::set, "x"}}), ErrorCode::invalid_config);
    EXPECT_EQ(config_refused({{"cleanup.policy", Operation::append, "burn"}}),
              ErrorCode::invalid_config);
    EXPECT_EQ(config_refused({}, ""), ErrorCode::invalid_request);
    EXPECT_EQ(config_refused({}, "a b"), ErrorCode::invalid_topic_exception);
    EXPECT_EQ(config_refused({}, "u"), ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(config_refused({{"retention.ms", Operation::set, "x"}}, "u"),
              ErrorCode::invalid_config)
        << "values are looked at first";
    const ConfigChange ours{"compression.type", Operation::set, "lz4"};  // Kafka takes it.
    EXPECT_EQ(config_refused({ours}), ErrorCode::invalid_config);
    EXPECT_EQ(config_refused({ours}, "u"), ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(config_refused({ours, {"retention.ms", Operation::set, "x"}}, "u"),
              ErrorCode::invalid_config);
    EXPECT_EQ(config_refused({ours,
                              {"min.compaction.lag.ms", Operation::set, "9"},
                              {"max.compaction.lag.ms", Operation::set, "8"}},
                             "u"),
              ErrorCode::invalid_config);
    EXPECT_EQ(config_refused({{"compression.type", Operation::set, "burn"}}, "u"),
              ErrorCode::invalid_config);
}

TEST_F(TopicChanges, EngineAndPolicyAreFixedAndMayBeSetToWhatTheyAre) {
    for (const auto operation : {Operation::set, Operation::remove, Operation::append}) {
        EXPECT_EQ(config_refused({{"leat.storage.engine", operation, "slow"}}),
                  ErrorCode::invalid_config);
        EXPECT_EQ(config_refused({{"leat.replication.policy", operation, "other"}}),
                  ErrorCode::invalid_config);
    }
    EXPECT_EQ(configured({{"leat.storage.engine", Operation::set, "fast"},
                          {"leat.replication.policy", Operation::set, "any"}},
                         true),
              ConfigMap{});
}

TEST_F(TopicChanges, AConfigKeyIsPutByCompareAndSetAndNeverDeleted) {
    const auto key = keys::topic_config(id_);
    const auto seen = view_.revision(key);
    const auto stages = config_stages(id_, {}, view_, fence_);
    const auto& change = stages.at(0).at(0);
    EXPECT_EQ(change.checks.at(0).key, fence_.key);
    EXPECT_EQ(change.checks.at(1).key, key);
    EXPECT_EQ(change.checks.at(1).revision, seen);
    EXPECT_FALSE(view_.shows(change));
    commit(stages);
    EXPECT_TRUE(view_.shows(change));
    EXPECT_EQ(view_.image().topic("t")->overrides, ConfigMap{});
}

}  // namespace
}  // namespace leat::cluster
