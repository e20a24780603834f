// How a broker takes its place: it makes the cluster's identity if there is none, registers, and
// becomes the controller if there is none. Level-triggered: asked again after every change of the
// view and after every outcome, it says what to write next. An unknown outcome therefore needs no
// rule of its own: after a fresh read the broker finds its incarnation in the value, or does not.
//
// Sources    KIP-380 (broker epoch), traps M1, M2, M6, M11, M15.
#pragma once

#include <string>
#include <variant>

#include "core/cluster/records.h"
#include "core/cluster/store_view.h"
#include "leat/sdk/coordination.h"

namespace leat::cluster {

struct Bootstrap {
    BrokerRecord self;
    std::string cluster_id;      // What this broker belongs to; empty: whatever is there.
    std::string new_cluster_id;  // For a store without one.
};

struct Settled {};  // Registered, and a controller is known.
struct Write {
    sdk::Transaction transaction;
};
struct Refused {
    std::string why;  // A sentence for the operator: no retry can mend it.
};
using NextStep = std::variant<Settled, Write, Refused>;

NextStep next_bootstrap_step(const StoreView& view, const Bootstrap& bootstrap);

// The fence of every write that only a controller may do: the revision of its /controller_epoch.
// Nothing if this incarnation is not the controller.
std::optional<sdk::Check> controller_fence(const StoreView& view, const BrokerRecord& self);

// --- producer ids (InitProducerId): blocks by compare-and-set, KIP-98 ---

inline constexpr std::int64_t producer_id_block = 1000;

// A cluster's first block lies at random between these two. A partition's folder may come from
// another cluster, and what ids are in it shows only when it is opened, after ids were handed out:
// Apache Kafka counts from 0, other clusters of ours begin elsewhere, so that none of them collide.
// In decimal and below 2^53: tools show the store's JSON as it is.
inline constexpr std::int64_t lowest_first_producer_id = 1'000'000'000'000;
inline constexpr std::int64_t highest_first_producer_id = 4'000'000'000'000'000;

// No cluster gets that far: a client that made up such an id must not use up everybody's.
inline constexpr std::int64_t made_up_producer_id = 9'000'000'000'000'000;

// Takes the next block, all of it at or above `floor` (one above the highest id that was found in a
// log of this broker). `token` is random, and new for each attempt.
sdk::Result<sdk::Transaction> take_producer_ids(const StoreView& view, sdk::NodeId self,
                                                const sdk::Uuid& token, std::int64_t floor);

// First id of the block that the attempt with `token` has taken, if it is the last one taken.
std::optional<std::int64_t> taken_producer_ids(const StoreView& view, const sdk::Uuid& token);

}  // namespace leat::cluster
