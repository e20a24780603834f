// Consumer groups over the wire: what `leat group` does. A group is asked about at its coordinator,
// which is looked for again while groups move, as Cluster::persist() says. Changes are
// repeated as well when an answer was lost: of one that was deleted it may then be said that there
// is no such group.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/client/cluster.h"

namespace leat::client {

struct GroupListing {
    std::string id;
    std::string type;           // "classic", "consumer"; empty: the broker is too old to say.
    std::string state;          // The same.
    std::string protocol_type;  // "consumer", "connect", ...
    std::int32_t coordinator = -1;
};
// Those of every broker, by name; of these states and types only, where any is given. Brokers
// compare without regard to case. Errc::unsupported if one does not know such a filter.
struct GroupFilter {
    std::vector<std::string> states;
    std::vector<std::string> types;
};
sdk::Result<std::vector<GroupListing>> list_groups(Cluster& cluster, const GroupFilter& filter);

// By topic; numbers ascending, each once.
using TopicPartitions = std::map<std::string, std::vector<std::int32_t>>;

struct GroupMemberState {
    std::string id;
    std::optional<std::string> instance;
    std::string client_id;
    std::string client_host;
    std::string rack;                    // Empty: not told.
    std::vector<std::string> topics;     // Subscribed to, ascending.
    std::optional<std::string> pattern;  // That it subscribes by as well.
    TopicPartitions assigned;            // What the group gives it.
    TopicPartitions owned;               // What it says it has, as far as it says so.
    std::optional<std::int32_t> epoch;   // Of the protocol of KIP-848 only.
};

struct GroupState {
    std::string id;
    std::string type;  // "classic" or "consumer".
    std::string state;
    std::string protocol_type;  // "consumer": members' subscriptions are known.
    std::string assignor;       // Or, for a classic group, the protocol that its members chose.
    std::int32_t coordinator = -1;
    Address coordinator_at;
    std::vector<GroupMemberState> members;  // By id.
};
// Errc::not_found if there is no such group; the error names one that was perhaps meant.
sdk::Result<GroupState> describe_group(Cluster& cluster, const std::string& id);

// By topic and partition, what is committed. Nothing for a group that is not there.
using GroupOffsets = std::map<std::string, std::map<std::int32_t, std::int64_t>>;
sdk::Result<GroupOffsets> committed_offsets(Cluster& cluster, const std::string& id);

// As what the group has read up to. Only while it has no members: else theirs would be overwritten
// and would overwrite these, and the broker refuses.
sdk::Status commit_offsets(Cluster& cluster, const std::string& id, const GroupOffsets& offsets);

// `missing` is set if there is no such group.
sdk::Status delete_group(Cluster& cluster, const std::string& id, bool& missing);

// Forgets what the group has committed there. Refused for what its members read.
sdk::Status delete_offsets(Cluster& cluster, const std::string& id,
                           const TopicPartitions& partitions);

}  // namespace leat::client
