// Replication for partitions that have exactly one replica: what the leader holds is committed.
//
// With nobody to copy to, the high watermark is the leader's log end and an append is acknowledged
// when it has happened. Nobody else may ever lead, so an election, unclean or not, chooses the one
// replica if it is alive and nobody if not. When it is back it leads again in a new epoch.
#pragma once

#include <optional>
#include <vector>

#include "leat/sdk/replication.h"

namespace leat::single {

class SinglePolicy final : public sdk::ReplicationPolicy {
public:
    sdk::Offset high_watermark(const sdk::LeaderView& view) const override;
    sdk::AckDecision before_append(const sdk::LeaderView& view) const override;
    sdk::AckDecision acknowledge(const sdk::LeaderView& view, sdk::Offset end) const override;
    std::optional<std::vector<sdk::NodeId>> in_sync_change(
        const sdk::LeaderView& view) const override;
    sdk::ElectionEvidence evidence() const override { return sdk::ElectionEvidence::none; }
    sdk::PartitionState elect(const sdk::ElectionView& view) const override;
    sdk::Result<sdk::PartitionState> initial(std::vector<sdk::NodeId> replicas) const override;
};

}  // namespace leat::single
