// What a member of a group of KIP-848 has, and the step to what it is to have, without ever giving
// a partition to two. Pure functions; the group stores what comes out.
//
//   stable ------> unrevoked ------> stable, or unreleased
//          target          it gave    some of its target is still with others: it gets each when
//          takes some      them back  that one's record lets it go
//
// Epoch      The member's follows the target's only when it holds nothing that the target takes: a
//            commit of that epoch then can not be for a partition that has moved.
// Sources    KIP-848 (reconciliation), KIP-1251 (the epoch in which a partition was assigned).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/wire/group_records/consumer_group.h"
#include "leat/sdk/uuid.h"

namespace leat::groups {

using PartitionSet = std::map<sdk::Uuid, std::set<std::int32_t>>;
// Each with the epoch in which it was assigned.
using DatedPartitions = std::map<sdk::Uuid, std::map<std::int32_t, std::int32_t>>;

// As the log has them: so in Kafka's records.
enum class ConsumerState : std::int8_t { stable = 0, unrevoked = 1, unreleased = 2 };

struct CurrentAssignment {
    std::int32_t epoch = 0;
    std::int32_t previous_epoch = 0;
    ConsumerState state = ConsumerState::stable;
    DatedPartitions assigned;
    DatedPartitions revoking;  // No longer its own, and not given back yet.

    static CurrentAssignment from(const wire::ConsumerGroupCurrentMemberAssignmentValue& stored);
    wire::ConsumerGroupCurrentMemberAssignmentValue stored_form() const;
    bool operator==(const CurrentAssignment&) const = default;
};

struct Target {
    std::int32_t epoch = 0;
    PartitionSet partitions;
};

// `owned` is what the member says it has; nothing, if it says nothing. `is_free`: no other member's
// record holds it.
using IsFree = std::function<bool(const sdk::Uuid& topic, std::int32_t partition)>;
CurrentAssignment next_assignment(const CurrentAssignment& current, const Target& target,
                                  const std::optional<PartitionSet>& owned, const IsFree& is_free);

// Whether all of `some` is in `all`.
bool within(const PartitionSet& some, const DatedPartitions& all);
bool overlap(const PartitionSet& some, const DatedPartitions& others);

// From and to lists of topics as messages and records have them.
template <class List>
PartitionSet partition_set(const List& topics) {
    PartitionSet set;
    for (const auto& topic : topics) {
        set[topic.topic_id].insert(topic.partitions.begin(), topic.partitions.end());
    }
    std::erase_if(set, [](const auto& entry) { return entry.second.empty(); });
    return set;
}

template <class List>
List topic_list(const PartitionSet& set) {
    List topics;
    for (const auto& [id, partitions] : set) {
        auto& topic = topics.emplace_back();
        topic.topic_id = id;
        topic.partitions.assign(partitions.begin(), partitions.end());
    }
    return topics;
}

PartitionSet undated(const DatedPartitions& partitions);

}  // namespace leat::groups
