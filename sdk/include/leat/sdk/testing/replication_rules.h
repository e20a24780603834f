// The replication kit's rules, without the test framework. Each walks the same few thousand random
// situations, made from a seed, and complains about the first that a policy gets wrong.
//
// What is asked is what holds for every policy; how many replicas make a commit is the policy's
// own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "leat/sdk/replication.h"

namespace leat::sdk::testing {

struct PolicyUnderTest {
    std::function<std::unique_ptr<ReplicationPolicy>()> make;
    std::int32_t least_replicas = 1;  // As declared.
    std::int32_t most_replicas = 1;
    std::uint64_t seed = 1;
};

// Situations that a leader or a controller can be in.
class Situations {
public:
    explicit Situations(const PolicyUnderTest& policy) : policy_{policy}, random_{policy.seed} {}

    std::int64_t up_to(std::int64_t most) {
        return static_cast<std::int64_t>(random_() % (static_cast<std::uint64_t>(most) + 1));
    }
    std::vector<NodeId> replicas() {
        const std::int64_t count =
            policy_.least_replicas +
            up_to(std::min(policy_.most_replicas, most_tried) - policy_.least_replicas);
        std::vector<NodeId> nodes;
        for (std::int32_t id = 0; id < 10; ++id) nodes.push_back({id});
        std::shuffle(nodes.begin(), nodes.end(), random_);
        nodes.resize(static_cast<std::size_t>(count));
        return nodes;
    }
    // Some of them, in their order.
    std::vector<NodeId> some_of(std::vector<NodeId> nodes) {
        std::erase_if(nodes, [&](NodeId) { return up_to(2) == 0; });
        return nodes;
    }
    // In sync is never empty, and the leader, if there is one, is in it.
    PartitionState state() {
        PartitionState state;
        state.replicas = replicas();
        state.in_sync = some_of(state.replicas);
        if (state.in_sync.empty()) state.in_sync = {state.replicas.front()};
        for (const NodeId node : state.replicas)
            if (std::ranges::count(state.in_sync, node) == 0 && up_to(3) == 0)
                state.eligible.push_back(node);
        state.leader_epoch = {static_cast<std::int32_t>(up_to(50))};
        if (up_to(3) != 0)
            state.leader = state.in_sync[static_cast<std::size_t>(
                up_to(static_cast<std::int64_t>(state.in_sync.size()) - 1))];
        return state;
    }
    LeaderView leader_view() {
        LeaderView view;
        do view.state = state();
        while (!view.state.leader);
        view.self = *view.state.leader;
        view.epoch_start = {up_to(1000)};
        view.log_end = view.epoch_start + up_to(1000);
        view.high_watermark = {up_to(view.log_end.value)};
        view.min_in_sync = static_cast<std::int32_t>(1 + up_to(2));
        view.now = std::chrono::seconds{100 + up_to(1000)};
        for (const NodeId node : view.state.replicas) {
            if (node == view.self) continue;
            // One in sync holds everything below the high watermark.
            const bool in_sync = std::ranges::count(view.state.in_sync, node) != 0;
            const std::int64_t least = in_sync ? view.high_watermark.value : 0;
            view.followers.push_back({.node = node,
                                      .log_end = {least + up_to(view.log_end.value - least)},
                                      .caught_up_at = view.now - std::chrono::seconds{up_to(60)},
                                      .fetched_in_epoch = up_to(1) == 0});
        }
        return view;
    }
    ElectionView election_view() {
        ElectionView view{.state = state(), .alive = {}, .unclean_allowed = up_to(3) == 0};
        for (std::int32_t id = 0; id < 12; ++id)
            if (up_to(2) != 0) view.alive.push_back({id});
        return view;
    }

private:
    static constexpr std::int32_t most_tried = 7;
    const PolicyUnderTest& policy_;
    std::mt19937_64 random_;
};

struct ReplicationRule {
    const char* name;  // A sentence.
    // Whether the policy keeps it in the next of `situations`.
    bool (*keeps)(const ReplicationPolicy& policy, Situations& situations,
                  const PolicyUnderTest& declared);
};

namespace replication_detail {

inline bool high_watermark_in_bounds(const ReplicationPolicy& policy, Situations& situations,
                                     const PolicyUnderTest&) {
    const LeaderView view = situations.leader_view();
    const Offset mark = policy.high_watermark(view);
    return mark >= view.high_watermark && mark <= view.log_end;
}

inline bool high_watermark_rises_with_progress(const ReplicationPolicy& policy,
                                               Situations& situations, const PolicyUnderTest&) {
    const LeaderView before = situations.leader_view();
    LeaderView after = before;
    after.log_end = after.log_end + situations.up_to(100);
    for (ReplicaProgress& follower : after.followers) {
        follower.log_end = follower.log_end + situations.up_to(after.log_end - follower.log_end);
        follower.fetched_in_epoch = follower.fetched_in_epoch || situations.up_to(1) == 0;
    }
    return policy.high_watermark(after) >= policy.high_watermark(before);
}

inline bool acknowledged_means_committed(const ReplicationPolicy& policy, Situations& situations,
                                         const PolicyUnderTest&) {
    const LeaderView view = situations.leader_view();
    const Offset mark = policy.high_watermark(view);
    for (const std::int64_t distance : {-1, 0, 1, 5}) {
        const AckDecision decision = policy.acknowledge(view, mark + distance);
        if (distance > 0 && decision == AckDecision::satisfied) return false;
        if (distance <= 0 && decision == AckDecision::wait) return false;
    }
    return policy.before_append(view) != AckDecision::wait;
}

inline bool in_sync_changes_are_changes(const ReplicationPolicy& policy, Situations& situations,
                                        const PolicyUnderTest&) {
    const LeaderView view = situations.leader_view();
    const auto next = policy.in_sync_change(view);
    if (!next) return true;
    const std::set<NodeId> all(view.state.replicas.begin(), view.state.replicas.end());
    const std::set<NodeId> now(view.state.in_sync.begin(), view.state.in_sync.end());
    const std::set<NodeId> then(next->begin(), next->end());
    return then != now && then.size() == next->size() && then.contains(view.self) &&
           std::includes(all.begin(), all.end(), then.begin(), then.end());
}

inline bool a_leader_is_alive_and_in_sync(const ReplicationPolicy& policy, Situations& situations,
                                          const PolicyUnderTest&) {
    const ElectionView view = situations.election_view();
    const PartitionState next = policy.elect(view);
    if (!next.leader) return true;
    const auto holds = [&](const std::vector<NodeId>& nodes) {
        return std::ranges::count(nodes, *next.leader) == 1;
    };
    return holds(view.alive) && holds(next.replicas) && holds(next.in_sync);
}

inline bool only_an_unclean_election_takes_others(const ReplicationPolicy& policy,
                                                  Situations& situations, const PolicyUnderTest&) {
    ElectionView view = situations.election_view();
    view.unclean_allowed = false;
    const PartitionState next = policy.elect(view);
    return !next.leader || policy.evidence() != ElectionEvidence::none ||
           std::ranges::count(view.state.in_sync, *next.leader) != 0 ||
           std::ranges::count(view.state.eligible, *next.leader) != 0;
}

inline bool an_in_sync_replica_that_is_alive_leads(const ReplicationPolicy& policy,
                                                   Situations& situations,
                                                   const PolicyUnderTest&) {
    const ElectionView view = situations.election_view();
    const bool possible = std::ranges::any_of(view.state.in_sync, [&](NodeId node) {
        return std::ranges::count(view.alive, node) != 0;
    });
    return !possible || policy.elect(view).leader.has_value() ||
           policy.evidence() != ElectionEvidence::none;
}

inline bool the_epoch_rises_exactly_when_the_leader_changes(const ReplicationPolicy& policy,
                                                            Situations& situations,
                                                            const PolicyUnderTest&) {
    const ElectionView view = situations.election_view();
    const PartitionState next = policy.elect(view);
    const std::int32_t raise = next.leader == view.state.leader ? 0 : 1;
    return next.leader_epoch.value == view.state.leader_epoch.value + raise;
}

inline bool an_election_settles(const ReplicationPolicy& policy, Situations& situations,
                                const PolicyUnderTest&) {
    ElectionView view = situations.election_view();
    view.state = policy.elect(view);
    return policy.elect(view) == view.state;
}

inline bool an_election_keeps_the_replicas(const ReplicationPolicy& policy, Situations& situations,
                                           const PolicyUnderTest&) {
    const ElectionView view = situations.election_view();
    const PartitionState next = policy.elect(view);
    const auto among_replicas = [&](NodeId node) {
        return std::ranges::count(next.replicas, node) == 1;
    };
    return next.replicas == view.state.replicas && !next.in_sync.empty() &&
           std::ranges::all_of(next.in_sync, among_replicas) &&
           std::ranges::all_of(next.eligible, among_replicas);
}

inline bool the_same_question_has_the_same_answer(const ReplicationPolicy& policy,
                                                  Situations& situations,
                                                  const PolicyUnderTest& declared) {
    const auto other = declared.make();
    const LeaderView view = situations.leader_view();
    const ElectionView election = situations.election_view();
    return policy.high_watermark(view) == other->high_watermark(view) &&
           policy.acknowledge(view, view.log_end) == other->acknowledge(view, view.log_end) &&
           policy.before_append(view) == other->before_append(view) &&
           policy.in_sync_change(view) == other->in_sync_change(view) &&
           policy.elect(election) == other->elect(election) &&
           policy.elect(election) == policy.elect(election);
}

inline bool a_new_partition_is_led_by_its_first_replica(const ReplicationPolicy& policy,
                                                        Situations& situations,
                                                        const PolicyUnderTest&) {
    const std::vector<NodeId> replicas = situations.replicas();
    const auto state = policy.initial(replicas);
    return state && state->replicas == replicas && state->leader == replicas.front() &&
           state->leader_epoch == LeaderEpoch{0} && state->eligible.empty() &&
           std::ranges::count(state->in_sync, replicas.front()) == 1;
}

inline bool another_count_of_replicas_is_refused(const ReplicationPolicy& policy, Situations&,
                                                 const PolicyUnderTest& declared) {
    const auto refused_with = [&](std::int32_t count) {
        std::vector<NodeId> replicas;
        for (std::int32_t id = 0; id < count; ++id) replicas.push_back({id});
        const auto state = policy.initial(replicas);
        return !state && state.error().code == Errc::invalid_argument &&
               !state.error().what.empty();
    };
    if (!refused_with(0) || !refused_with(declared.least_replicas - 1)) return false;
    constexpr std::int32_t never_so_many = 1000;
    return declared.most_replicas >= never_so_many || refused_with(declared.most_replicas + 1);
}

}  // namespace replication_detail

inline std::vector<ReplicationRule> replication_rules() {
    using namespace replication_detail;
    return {
        {"TheHighWatermarkNeverFallsNorPassesTheLogEnd", high_watermark_in_bounds},
        {"TheHighWatermarkRisesWithProgress", high_watermark_rises_with_progress},
        {"AcknowledgedMeansBelowTheHighWatermark", acknowledged_means_committed},
        {"AnInSyncChangeIsAChangeAndKeepsTheLeader", in_sync_changes_are_changes},
        {"ALeaderIsAliveAndInSync", a_leader_is_alive_and_in_sync},
        {"OnlyAnUncleanElectionTakesOthers", only_an_unclean_election_takes_others},
        {"AnInSyncReplicaThatIsAliveLeads", an_in_sync_replica_that_is_alive_leads},
        {"TheEpochRisesExactlyWhenTheLeaderChanges",
         the_epoch_rises_exactly_when_the_leader_changes},
        {"AnElectionSettles", an_election_settles},
        {"AnElectionKeepsTheReplicas", an_election_keeps_the_replicas},
        {"TheSameQuestionHasTheSameAnswer", the_same_question_has_the_same_answer},
        {"ANewPartitionIsLedByItsFirstReplica", a_new_partition_is_led_by_its_first_replica},
        {"AnotherCountOfReplicasIsRefused", another_count_of_replicas_is_refused},
    };
}

// What a policy does wrong under one rule; empty if it keeps it.
inline std::string complaints_about(const PolicyUnderTest& declared, const ReplicationRule& rule) {
    constexpr int tries = 3000;
    const auto policy = declared.make();
    Situations situations{declared};
    for (int i = 0; i < tries; ++i)
        if (!rule.keeps(*policy, situations, declared))
            return std::string{rule.name} + " does not hold in situation " + std::to_string(i) +
                   " of seed " + std::to_string(declared.seed);
    return {};
}

}  // namespace leat::sdk::testing
