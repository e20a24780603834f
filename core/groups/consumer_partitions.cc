#include "core/groups/consumer_partitions.h"

#include <algorithm>

namespace leat::groups {
namespace {

using Stored = wire::ConsumerGroupCurrentMemberAssignmentValue;

DatedPartitions dated(const std::vector<Stored::TopicPartitions>& topics, std::int32_t epoch) {
    DatedPartitions partitions;
    for (const auto& topic : topics) {
        const bool each =
            topic.assignment_epochs && topic.assignment_epochs->size() == topic.partitions.size();
        for (std::size_t i = 0; i < topic.partitions.size(); ++i) {
            partitions[topic.topic_id][topic.partitions[i]] =
                each ? (*topic.assignment_epochs)[i] : epoch;
        }
    }
    return partitions;
}

std::vector<Stored::TopicPartitions> listed(const DatedPartitions& partitions) {
    std::vector<Stored::TopicPartitions> topics;
    for (const auto& [id, of_topic] : partitions) {
        auto& topic = topics.emplace_back();
        topic.topic_id = id;
        topic.assignment_epochs.emplace();
        for (const auto& [partition, epoch] : of_topic) {
            topic.partitions.push_back(partition);
            topic.assignment_epochs->push_back(epoch);
        }
    }
    return topics;
}

bool holds(const PartitionSet& set, const sdk::Uuid& topic, std::int32_t partition) {
    const auto found = set.find(topic);
    return found != set.end() && found->second.contains(partition);
}

bool holds(const DatedPartitions& set, const sdk::Uuid& topic, std::int32_t partition) {
    const auto found = set.find(topic);
    return found != set.end() && found->second.contains(partition);
}

// A state of a newer Kafka's is taken for the most careful of ours.
ConsumerState state_of(std::int8_t stored) {
    return stored == 0 || stored == 2 ? ConsumerState{stored} : ConsumerState::unrevoked;
}

void enter_epoch(CurrentAssignment& assignment, std::int32_t epoch) {
    if (assignment.epoch == epoch) return;
    assignment.previous_epoch = assignment.epoch;
    assignment.epoch = epoch;
}

// What stays and what goes of what the member has been assigned.
CurrentAssignment split(const CurrentAssignment& current, const Target& target) {
    CurrentAssignment next = current;
    next.assigned.clear();
    next.revoking.clear();
    for (const auto& [topic, partitions] : current.assigned) {
        for (const auto& [partition, epoch] : partitions) {
            auto& side = holds(target.partitions, topic, partition) ? next.assigned : next.revoking;
            side[topic][partition] = epoch;
        }
    }
    return next;
}

}  // namespace

CurrentAssignment CurrentAssignment::from(const Stored& stored) {
    return {.epoch = stored.member_epoch,
            .previous_epoch = stored.previous_member_epoch,
            .state = state_of(stored.state),
            .assigned = dated(stored.assigned_partitions, stored.member_epoch),
            .revoking = dated(stored.partitions_pending_revocation, stored.member_epoch)};
}

Stored CurrentAssignment::stored_form() const {
    return {.member_epoch = epoch,
            .previous_member_epoch = previous_epoch,
            .state = static_cast<std::int8_t>(state),
            .assigned_partitions = listed(assigned),
            .partitions_pending_revocation = listed(revoking)};
}

CurrentAssignment next_assignment(const CurrentAssignment& current, const Target& target,
                                  const std::optional<PartitionSet>& owned, const IsFree& is_free) {
    const bool settled = current.state == ConsumerState::stable && current.epoch == target.epoch;
    if (settled) return current;
    std::int32_t epoch = current.epoch;
    if (current.state == ConsumerState::unrevoked) {
        if (!owned || overlap(*owned, current.revoking)) return current;
        ++epoch;  // What was to go is gone. It may be that more is to go by now.
    }
    CurrentAssignment next = split(current, target);
    if (!next.revoking.empty() && (!owned || overlap(*owned, next.revoking))) {
        next.state = ConsumerState::unrevoked;
        enter_epoch(next, epoch);
        return next;
    }
    next.revoking.clear();
    next.state = ConsumerState::stable;
    for (const auto& [topic, partitions] : target.partitions) {
        for (const std::int32_t partition : partitions) {
            if (holds(next.assigned, topic, partition)) continue;
            if (is_free(topic, partition)) {
                next.assigned[topic][partition] = target.epoch;
            } else {
                next.state = ConsumerState::unreleased;
            }
        }
    }
    enter_epoch(next, target.epoch);
    return next;
}

bool within(const PartitionSet& some, const DatedPartitions& all) {
    return std::ranges::all_of(some, [&](const auto& topic) {
        return std::ranges::all_of(topic.second, [&](std::int32_t partition) {
            return holds(all, topic.first, partition);
        });
    });
}

bool overlap(const PartitionSet& some, const DatedPartitions& others) {
    return std::ranges::any_of(some, [&](const auto& topic) {
        return std::ranges::any_of(topic.second, [&](std::int32_t partition) {
            return holds(others, topic.first, partition);
        });
    });
}

PartitionSet undated(const DatedPartitions& partitions) {
    PartitionSet set;
    for (const auto& [topic, of_topic] : partitions) {
        for (const auto& [partition, epoch] : of_topic) set[topic].insert(partition);
    }
    return set;
}

}  // namespace leat::groups
