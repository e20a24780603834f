// For each rule of the replication kit there is a policy that breaks it, and the kit says so.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "leat/sdk/testing/replication_rules.h"
#include "plugins/replication/single/single_policy.h"

namespace leat::sdk::testing {
namespace {

enum class Fault {
    mark_passes_the_end,
    mark_falls,
    mark_stands_when_the_log_is_long,
    acknowledges_at_once,
    never_acknowledges,
    proposes_what_is,
    proposes_without_itself,
    elects_the_dead,
    leader_not_in_sync,
    elects_a_stranger,
    elects_nobody,
    epoch_stays,
    epoch_rises_always,
    forgets_a_replica,
    changes_its_mind,
    starts_without_a_leader,
    takes_two_replicas,
};

class FaultyPolicy final : public ReplicationPolicy {
public:
    explicit FaultyPolicy(Fault fault) : fault_{fault} {}

    Offset high_watermark(const LeaderView& view) const override {
        if (is(Fault::mark_passes_the_end)) return view.log_end + 1;
        if (is(Fault::mark_falls)) return Offset{view.high_watermark.value / 2};
        if (is(Fault::mark_stands_when_the_log_is_long) && view.log_end > Offset{1000})
            return view.high_watermark;
        return good_.high_watermark(view);
    }
    AckDecision before_append(const LeaderView& view) const override {
        return good_.before_append(view);
    }
    AckDecision acknowledge(const LeaderView& view, Offset end) const override {
        if (is(Fault::acknowledges_at_once)) return AckDecision::satisfied;
        if (is(Fault::never_acknowledges)) return AckDecision::wait;
        return good_.acknowledge(view, end);
    }
    std::optional<std::vector<NodeId>> in_sync_change(const LeaderView& view) const override {
        if (is(Fault::proposes_what_is)) return view.state.in_sync;
        if (is(Fault::proposes_without_itself)) return std::vector<NodeId>{};
        return good_.in_sync_change(view);
    }
    ElectionEvidence evidence() const override { return good_.evidence(); }
    PartitionState elect(const ElectionView& view) const override {
        PartitionState next = good_.elect(view);
        if (is(Fault::elects_the_dead)) next = good_.elect({view.state, view.state.replicas});
        if (is(Fault::leader_not_in_sync) && next.leader) next.in_sync = {{99}};
        if (is(Fault::elects_a_stranger) && !view.alive.empty()) {
            next.leader = view.alive.back();
            next.in_sync = next.replicas = {view.alive.back()};
        }
        if (is(Fault::elects_nobody)) next.leader.reset();
        if (is(Fault::epoch_stays)) next.leader_epoch = view.state.leader_epoch;
        if (is(Fault::epoch_rises_always))
            next.leader_epoch = {view.state.leader_epoch.value + 1};
        if (is(Fault::forgets_a_replica)) next.replicas.clear();
        if (is(Fault::changes_its_mind) && ++asked_ % 2 == 0) next.leader.reset();
        return next;
    }
    Result<PartitionState> initial(std::vector<NodeId> replicas) const override {
        if (is(Fault::takes_two_replicas) && replicas.size() == 2) replicas.pop_back();
        auto state = good_.initial(std::move(replicas));
        if (is(Fault::starts_without_a_leader) && state) state->leader.reset();
        return state;
    }

private:
    bool is(Fault fault) const { return fault_ == fault; }

    const Fault fault_;
    const single::SinglePolicy good_;
    mutable int asked_ = 0;
};

const std::multimap<std::string, Fault>& planted() {
    static const std::multimap<std::string, Fault> all{
        {"TheHighWatermarkNeverFallsNorPassesTheLogEnd", Fault::mark_passes_the_end},
        {"TheHighWatermarkNeverFallsNorPassesTheLogEnd", Fault::mark_falls},
        {"TheHighWatermarkRisesWithProgress", Fault::mark_stands_when_the_log_is_long},
        {"AcknowledgedMeansBelowTheHighWatermark", Fault::acknowledges_at_once},
        {"AcknowledgedMeansBelowTheHighWatermark", Fault::never_acknowledges},
        {"AnInSyncChangeIsAChangeAndKeepsTheLeader", Fault::proposes_what_is},
        {"AnInSyncChangeIsAChangeAndKeepsTheLeader", Fault::proposes_without_itself},
        {"ALeaderIsAliveAndInSync", Fault::elects_the_dead},
        {"ALeaderIsAliveAndInSync", Fault::leader_not_in_sync},
        {"OnlyAnUncleanElectionTakesOthers", Fault::elects_a_stranger},
        {"AnInSyncReplicaThatIsAliveLeads", Fault::elects_nobody},
        {"TheEpochRisesExactlyWhenTheLeaderChanges", Fault::epoch_stays},
        {"TheEpochRisesExactlyWhenTheLeaderChanges", Fault::epoch_rises_always},
        {"AnElectionSettles", Fault::epoch_rises_always},
        {"AnElectionKeepsTheReplicas", Fault::forgets_a_replica},
        {"TheSameQuestionHasTheSameAnswer", Fault::changes_its_mind},
        {"ANewPartitionIsLedByItsFirstReplica", Fault::starts_without_a_leader},
        {"AnotherCountOfReplicasIsRefused", Fault::takes_two_replicas},
    };
    return all;
}

TEST(PlantedPolicyTest, EveryRuleFindsThePoliciesThatBreakIt) {
    for (const ReplicationRule& rule : replication_rules()) {
        EXPECT_TRUE(planted().contains(rule.name)) << rule.name << " has no fault that breaks it";
        const auto [first, last] = planted().equal_range(rule.name);
        for (auto at = first; at != last; ++at) {
            const PolicyUnderTest faulty{
                .make = [fault = at->second] { return std::make_unique<FaultyPolicy>(fault); }};
            EXPECT_FALSE(complaints_about(faulty, rule).empty())
                << rule.name << " passes fault " << static_cast<int>(at->second);
        }
    }
}

}  // namespace
}  // namespace leat::sdk::testing
