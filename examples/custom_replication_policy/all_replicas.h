// A replication policy that counts every replica, always: what is committed is on all of them, and
// any of them may lead. A replica that is down stops acks=all until it is back. Kafka's own policy
// goes on without it, at the price of a set that changes.
//
// The rules stand in leat/sdk/replication.h.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/replication.h"

class AllReplicas final : public leat::sdk::ReplicationPolicy {
public:
    static constexpr std::int32_t most_replicas = 7;

    // The end of the shortest log, but never lower than it was said to be.
    leat::sdk::Offset high_watermark(const leat::sdk::LeaderView& view) const override {
        leat::sdk::Offset mark = view.log_end;
        for (const auto& follower : view.followers) mark = std::min(mark, follower.log_end);
        return std::max(mark, view.high_watermark);
    }

    // min.insync.replicas above the number of replicas can never be met.
    leat::sdk::AckDecision before_append(const leat::sdk::LeaderView& view) const override {
        const auto count = static_cast<std::int32_t>(view.state.replicas.size());
        return view.min_in_sync > count ? leat::sdk::AckDecision::not_enough_replicas
                                        : leat::sdk::AckDecision::satisfied;
    }
    leat::sdk::AckDecision acknowledge(const leat::sdk::LeaderView& view,
                                       leat::sdk::Offset end) const override {
        return end <= high_watermark(view) ? leat::sdk::AckDecision::satisfied
                                           : leat::sdk::AckDecision::wait;
    }

    std::optional<std::vector<leat::sdk::NodeId>> in_sync_change(
        const leat::sdk::LeaderView&) const override {
        return std::nullopt;
    }

    leat::sdk::ElectionEvidence evidence() const override {
        return leat::sdk::ElectionEvidence::none;
    }
    // The leader stays while it is alive; else the first replica that is; else nobody.
    leat::sdk::PartitionState elect(const leat::sdk::ElectionView& view) const override {
        leat::sdk::PartitionState next = view.state;
        const auto may_lead = [&](leat::sdk::NodeId node) {
            return std::ranges::count(view.alive, node) != 0;
        };
        if (next.leader && may_lead(*next.leader)) return next;
        const auto found = std::ranges::find_if(next.in_sync, may_lead);
        const bool nobody = found == next.in_sync.end();
        if (nobody && !next.leader) return next;
        next.leader = nobody ? std::nullopt : std::optional{*found};
        next.leader_epoch = {next.leader_epoch.value + 1};
        return next;
    }

    leat::sdk::Result<leat::sdk::PartitionState> initial(
        std::vector<leat::sdk::NodeId> replicas) const override {
        if (replicas.empty() || replicas.size() > most_replicas)
            return leat::sdk::Error{leat::sdk::Errc::invalid_argument,
                                    "the replication policy `all_replicas` keeps 1 to 7 replicas, "
                                    "not " +
                                        std::to_string(replicas.size())};
        leat::sdk::PartitionState state;
        state.in_sync = replicas;
        state.leader = replicas.front();
        state.leader_epoch = {0};
        state.replicas = std::move(replicas);
        return state;
    }
};
