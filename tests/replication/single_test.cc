// The `single` policy: the kit, and a few stories with names.
#include <gtest/gtest.h>

#include <memory>

#include "leat/sdk/testing/replication_conformance.h"
#include "plugins/replication/single/single_policy.h"

namespace leat::sdk::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Single, ReplicationConformance,
    replication_kit({.make = [] { return std::make_unique<single::SinglePolicy>(); }}),
    replication_rule_name);

constexpr NodeId ann{1};
constexpr NodeId bob{2};

PartitionState led_by_ann(std::int32_t epoch) {
    return {.replicas = {ann}, .in_sync = {ann}, .eligible = {}, .leader = ann,
            .leader_epoch = {epoch}};
}

TEST(SinglePolicyTest, WhatTheLeaderHoldsIsCommitted) {
    const single::SinglePolicy policy;
    LeaderView view{.self = ann, .state = led_by_ann(3)};
    view.log_end = {100};
    view.high_watermark = {40};
    EXPECT_EQ(policy.high_watermark(view), Offset{100});
    EXPECT_EQ(policy.before_append(view), AckDecision::satisfied);
    EXPECT_EQ(policy.acknowledge(view, {100}), AckDecision::satisfied);
    EXPECT_EQ(policy.acknowledge(view, {101}), AckDecision::wait);
}

TEST(SinglePolicyTest, MoreInSyncReplicasThanThereAreCanNeverBeHad) {
    const single::SinglePolicy policy;
    LeaderView view{.self = ann, .state = led_by_ann(3)};
    view.min_in_sync = 2;
    EXPECT_EQ(policy.before_append(view), AckDecision::not_enough_replicas);
}

TEST(SinglePolicyTest, ALeaderThatDiesAndReturnsIsInANewEpochEachTime) {
    const single::SinglePolicy policy;
    const PartitionState gone = policy.elect({.state = led_by_ann(3), .alive = {bob}});
    EXPECT_EQ(gone.leader, std::nullopt);
    EXPECT_EQ(gone.leader_epoch, LeaderEpoch{4});
    EXPECT_EQ(policy.elect({.state = gone, .alive = {bob}}), gone);
    EXPECT_EQ(policy.elect({.state = gone, .alive = {bob, ann}}), led_by_ann(5));
}

TEST(SinglePolicyTest, NoElectionEvenAnUncleanOneLetsAStrangerLead) {
    const single::SinglePolicy policy;
    const auto next =
        policy.elect({.state = led_by_ann(3), .alive = {bob}, .unclean_allowed = true});
    EXPECT_EQ(next.leader, std::nullopt);
    EXPECT_EQ(next.in_sync, std::vector{ann});
}

}  // namespace
}  // namespace leat::sdk::testing
