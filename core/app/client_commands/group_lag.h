// How far a group is behind, by partition: what it has committed, where the logs end, whose each
// partition is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/client/groups.h"

namespace leat::app {

struct PartitionLag {
    std::string topic;
    std::int32_t partition = 0;
    std::optional<std::int64_t> committed;
    std::optional<std::int64_t> end;  // Nothing: no leader, or no such topic any more.
    const client::GroupMemberState* owner = nullptr;  // In the group that was asked about.

    // Known where both are; one that has committed beyond the end is not behind.
    std::optional<std::int64_t> lag() const;
};

// Sums of what is known, and of how many partitions it is not.
struct LagSum {
    std::string name;
    std::size_t partitions = 0;
    std::size_t unknown = 0;
    std::int64_t lag = 0;

    void add(const PartitionLag& partition);
};

// Every partition that the group has committed for, that is assigned, or whose topic a member
// subscribes to by name; by topic and number.
sdk::Result<std::vector<PartitionLag>> lag_of(client::Cluster& cluster,
                                              const client::GroupState& group);

// In the order in which they are met; what nobody owns is under no member.
std::vector<LagSum> by_topic(const std::vector<PartitionLag>& partitions);
std::vector<LagSum> by_member(const std::vector<PartitionLag>& partitions,
                              const client::GroupState& group);

// As people tell members from each other: the instance, else the client id where it is one
// member's only, else the whole id.
std::string name_of(const client::GroupMemberState& member, const client::GroupState& group);

}  // namespace leat::app
