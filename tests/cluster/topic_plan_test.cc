#include "core/cluster/topic_plan.h"

#include <gtest/gtest.h>

namespace leat::cluster {
namespace {

using sdk::NodeId;
using sdk::Revision;
using wire::ErrorCode;

class AnyReplicas final : public sdk::ReplicationPolicy {
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

class TopicPlanning : public ::testing::Test {
protected:
    TopicPlanning() {
        for (std::int32_t node : {1, 2}) {
            const BrokerRecord broker{.node = NodeId{node}};
            put(keys::broker(broker.node), encode(broker));
        }
        put(keys::topic("there"),
            encode(TopicRecord{.name = "there", .id = {{7}}, .partitions = 1}));
        put(keys::partition({{7}}, 0), encode(*policy_.initial({{1}})));
        put(keys::topic("with.dot"),
            encode(TopicRecord{.name = "with.dot", .id = {{8}}, .partitions = 1}));
        put(keys::partition({{8}}, 0), encode(*policy_.initial({{1}})));
    }
    void put(std::string key, std::string value) {
        view_.apply(std::vector{sdk::KeyValue{std::move(key), std::move(value), Revision{1}}}, {});
    }
    std::variant<TopicPlan, TopicRefusal> plan(const NewTopic& wanted) {
        return plan_topic(wanted, view_, {.storage = "fast", .replication = "any"},
                          {.storages = {"fast", "slow", "fixed"},
                           .not_rewritable = {"fixed"},
                           .policies = {{"any", &policy_}},
                           .most_partitions = 1000},
                          {{9}});
    }
    ErrorCode refusal(const NewTopic& wanted) {
        const auto planned = plan(wanted);
        const auto* refused = std::get_if<TopicRefusal>(&planned);
        if (refused == nullptr) return ErrorCode::none;
        EXPECT_FALSE(refused->message.empty());
        return refused->error;
    }

    AnyReplicas policy_;
    StoreView view_{{}};
};

TEST_F(TopicPlanning, RefusesToCompactWhereTheStorageCannot) {
    const auto error = [this](const char* storage, const char* policy) {
        return refusal({.name = "n",
                        .configs = {{"cleanup.policy", policy}, {"leat.storage.engine", storage}}});
    };
    EXPECT_EQ(error("fixed", "compact"), ErrorCode::invalid_config);
    EXPECT_EQ(error("fixed", "compact,delete"), ErrorCode::invalid_config);
    EXPECT_EQ(error("fixed", "delete"), ErrorCode::none);
    EXPECT_EQ(error("slow", "compact"), ErrorCode::none);
}

TEST_F(TopicPlanning, RefusesWithKafkasErrors) {
    EXPECT_EQ(refusal({.name = "there"}), ErrorCode::topic_already_exists);
    EXPECT_EQ(refusal({.name = "a b"}), ErrorCode::invalid_topic_exception);
    EXPECT_EQ(refusal({.name = "with_dot"}), ErrorCode::invalid_topic_exception);
    EXPECT_EQ(refusal({.name = "__cluster_metadata"}), ErrorCode::invalid_request);
    EXPECT_EQ(refusal({.name = "n", .partitions = 0}), ErrorCode::invalid_partitions);
    EXPECT_EQ(refusal({.name = "n", .partitions = -2}), ErrorCode::invalid_partitions);
    EXPECT_EQ(refusal({.name = "n", .partitions = 999}), ErrorCode::policy_violation);
    EXPECT_EQ(refusal({.name = "n", .partitions = INT32_MAX}), ErrorCode::policy_violation);
    EXPECT_EQ(refusal({.name = "n", .replication_factor = 0}),
              ErrorCode::invalid_replication_factor);
    EXPECT_EQ(refusal({.name = "n", .replication_factor = 3}),
              ErrorCode::invalid_replication_factor);
    EXPECT_EQ(refusal({.name = "n", .configs = {{"no.such.key", "1"}}}), ErrorCode::invalid_config);
    EXPECT_EQ(refusal({.name = "n", .configs = {{"segment.ms", std::nullopt}}}),
              ErrorCode::invalid_config);
    EXPECT_EQ(refusal({.name = "n", .configs = {{"leat.storage.engine", "none"}}}),
              ErrorCode::invalid_config);
}

TEST_F(TopicPlanning, RefusesAnAssignmentThatCannotBe) {
    const auto with = [](std::vector<std::pair<std::int32_t, std::vector<NodeId>>> assignments) {
        return NewTopic{.name = "n", .assignments = std::move(assignments)};
    };
    EXPECT_EQ(refusal(with({{0, {{1}}}, {2, {{2}}}})), ErrorCode::invalid_replica_assignment);
    EXPECT_EQ(refusal(with({{0, {}}})), ErrorCode::invalid_replica_assignment);
    EXPECT_EQ(refusal(with({{0, {{1}, {1}}}})), ErrorCode::invalid_replica_assignment);
    EXPECT_EQ(refusal(with({{0, {{5}}}})), ErrorCode::invalid_replica_assignment);
    EXPECT_EQ(refusal(with({{0, {{1}}}, {1, {{1}, {2}}}})), ErrorCode::invalid_replica_assignment);
    auto both = with({{0, {{1}}}});
    both.partitions = 1;
    EXPECT_EQ(refusal(both), ErrorCode::invalid_request);
    EXPECT_EQ(refusal(with({{1, {{1}}}, {0, {{2}}}})), ErrorCode::none);
}

TEST_F(TopicPlanning, EveryStepIsFencedAndWithinTheStoresLimits) {
    const sdk::Check fence{std::string{keys::controller_epoch}, Revision{3}};
    const auto planned = plan({.name = "wide",
                               .partitions = 700,
                               .configs = {{"segment.ms", "5"}, {"leat.storage.engine", "slow"}}});
    const auto& chosen = std::get<TopicPlan>(planned);
    EXPECT_EQ(chosen.record.storage, "slow");
    EXPECT_EQ(chosen.overrides.size(), 1u);
    auto image = preview(chosen, {});
    for (auto& partition : image.partitions) partition.revision = Revision{4};
    for (const auto& stages : {creation_stages(chosen, fence), deletion_stages(image, fence)}) {
        for (const auto& stage : stages) {
            for (const auto& transaction : stage) {
                EXPECT_LE(transaction.checks.size() + transaction.operations.size(),
                          sdk::most_operations);
                EXPECT_EQ(transaction.checks.at(0).key, fence.key);
                EXPECT_EQ(transaction.checks.at(0).revision, fence.revision);
            }
        }
    }
    const auto made = creation_stages(chosen, fence);
    EXPECT_EQ(std::get<sdk::Put>(made.back().at(0).operations.back()).key, keys::topic("wide"));
}

}  // namespace
}  // namespace leat::cluster
