// What a replication policy implements: pure functions over what a partition's leader and the
// controller know. It holds no state of its own, keeps no reference, asks no clock; the core may
// call it on any thread, many at a time.
//
// LSO = min(first unstable offset, high watermark) is the core's, for all policies.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leat/sdk/result.h"
#include "leat/sdk/shard.h"
#include "leat/sdk/strong.h"

namespace leat::sdk {

// A partition's record in the coordination store, as far as replication is concerned.
struct PartitionState {
    std::vector<NodeId> replicas;  // The first is the preferred leader.
    std::vector<NodeId> in_sync;   // ISR.
    std::vector<NodeId> eligible;  // ELR (KIP-966).
    std::optional<NodeId> leader;
    LeaderEpoch leader_epoch{-1};

    bool operator==(const PartitionState&) const = default;
};

struct ReplicaProgress {
    NodeId node;
    Offset log_end;                // It holds everything below.
    Instant caught_up_at{};        // When it last held all that the leader held.
    bool fetched_in_epoch = false;  // In the current leader epoch.
};

struct LeaderView {
    NodeId self;
    PartitionState state;
    // A change that is under way (maximal ISR).
    std::optional<std::vector<NodeId>> proposed_in_sync;
    Offset log_end;                                       // The leader's own.
    Offset epoch_start;                                   // Where this leader epoch began.
    Offset high_watermark;
    std::vector<ReplicaProgress> followers;
    std::int32_t min_in_sync = 1;                         // min.insync.replicas
    std::chrono::milliseconds lag_max{30'000};            // replica.lag.time.max.ms
    Instant now{};
};

enum class AckDecision { wait, satisfied, not_enough_replicas };

// Which evidence an election needs before it may choose.
enum class ElectionEvidence { none, majority_log_ends };

struct ElectionView {
    PartitionState state;
    std::vector<NodeId> alive;      // Registered and not fenced.
    bool unclean_allowed = false;   // unclean.leader.election.enable
};

class ReplicationPolicy {
public:
    virtual ~ReplicationPolicy() = default;

    // Never below view.high_watermark, never above view.log_end.
    virtual Offset high_watermark(const LeaderView& view) const = 0;

    // May a produce with acks=all be appended at all, and is one whose last record is below `end`
    // committed?
    virtual AckDecision before_append(const LeaderView& view) const = 0;
    virtual AckDecision acknowledge(const LeaderView& view, Offset end) const = 0;

    // The in-sync set that the leader should propose now; nothing if the present one is right.
    virtual std::optional<std::vector<NodeId>> in_sync_change(const LeaderView& view) const = 0;

    virtual ElectionEvidence evidence() const = 0;

    // The partition's next record when its leader is gone or new replicas came: same leader_epoch
    // if the leader stays, one higher if it changes or goes. The leader and the controller compute
    // it with this same function.
    virtual PartitionState elect(const ElectionView& view) const = 0;

    // The first record of a new partition, or why it cannot be (this policy wants another count).
    virtual Result<PartitionState> initial(std::vector<NodeId> replicas) const = 0;
};

}  // namespace leat::sdk
