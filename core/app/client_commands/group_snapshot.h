// What a consumer group is at one moment, in the form in which an assignor is asked about it: who
// is in it, what each member subscribes to and has, the topics with their sizes, how far behind the
// group is. Taken from any broker that Kafka clients talk to; kept as JSON, whose fields are told
// in docs/trying_assignors.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/client/cluster.h"
#include "leat/sdk/assignment.h"

namespace leat::app {

// Raised whenever a reader of the version before would misread a snapshot.
inline constexpr int snapshot_version = 1;
inline constexpr std::size_t most_snapshot_bytes = 256 << 20;

struct GroupSnapshot {
    std::string type;      // "classic" or "consumer".
    std::string state;     // As brokers call it: "Stable", "Empty", ...
    std::string assignor;  // Or, of a classic group, the protocol that its members chose.
    // As assignors get it (members by id, topics by name), but that topics are among it for which
    // the group has only committed something. What a member's pattern matches counts as subscribed
    // to by name. A partition that brokers told of two members is with the first.
    sdk::AssignmentInput input;
};

// Waits, as long as the cluster is patient, while the group rebalances: until it is known who has
// what. Errc::not_found if there is no such group, Errc::unsupported for one that is not of
// consumers.
sdk::Result<GroupSnapshot> take_snapshot(client::Cluster& cluster, const std::string& group);

std::string to_json(const GroupSnapshot& snapshot);

// Foreign: every violation of what GroupSnapshot promises is one sentence, to come after the file's
// name.
sdk::Result<GroupSnapshot> parse_snapshot(std::string_view text);

}  // namespace leat::app
