#include "single_policy.h"

#include <algorithm>
#include <string>

namespace leat::single {

using sdk::AckDecision;
using sdk::LeaderView;
using sdk::NodeId;
using sdk::Offset;

Offset SinglePolicy::high_watermark(const LeaderView& view) const { return view.log_end; }

// min.insync.replicas above one can never be met here, as in Kafka for such a topic.
AckDecision SinglePolicy::before_append(const LeaderView& view) const {
    return view.min_in_sync > 1 ? AckDecision::not_enough_replicas : AckDecision::satisfied;
}

AckDecision SinglePolicy::acknowledge(const LeaderView& view, Offset end) const {
    return end <= high_watermark(view) ? AckDecision::satisfied : AckDecision::wait;
}

std::optional<std::vector<NodeId>> SinglePolicy::in_sync_change(const LeaderView&) const {
    return std::nullopt;
}

sdk::PartitionState SinglePolicy::elect(const sdk::ElectionView& view) const {
    sdk::PartitionState next = view.state;
    std::optional<NodeId> leader;
    if (!next.replicas.empty() && std::ranges::count(view.alive, next.replicas.front()) != 0)
        leader = next.replicas.front();
    if (leader != next.leader) next.leader_epoch = {next.leader_epoch.value + 1};
    next.leader = leader;
    return next;
}

sdk::Result<sdk::PartitionState> SinglePolicy::initial(std::vector<NodeId> replicas) const {
    if (replicas.size() != 1)
        return sdk::Error{sdk::Errc::invalid_argument,
                          "the replication policy `single` keeps exactly one replica, not " +
                              std::to_string(replicas.size())};
    const NodeId replica = replicas.front();
    return sdk::PartitionState{.replicas = replicas,
                               .in_sync = replicas,
                               .eligible = {},
                               .leader = replica,
                               .leader_epoch = {0}};
}

}  // namespace leat::single
