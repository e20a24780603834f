// A group's members in the form of the other protocol, for a group that changes to it with its
// members in it (KIP-848, migration). Pure functions; the coordinator stores what comes out.
//
// Upgrade    The members of a classic group stay classic members: their generation becomes the
//            epoch of the group and of each, what they were last assigned is what they have. They
//            hear of what follows by their heartbeats.
// Downgrade  The epoch becomes the generation, what each has is its assignment: Kafka takes what it
//            was to have, and then the next upgrade, before all joined, gives it to another. No
//            leader is named: that says, also to who reads the log later, that the members have to
//            join again before anything is right.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/cluster/image.h"
#include "core/groups/classic_group.h"
#include "core/groups/consumer_partitions.h"
#include "core/groups/durable_consumer_group.h"
#include "core/groups/group_limits.h"
#include "leat/sdk/result.h"

namespace leat::groups {

bool may_upgrade(ConsumerMigration policy);
bool may_downgrade(ConsumerMigration policy);

// Its metadata's hash is left to the group. An error's sentence says what stands against it, after
// "because": what a member said or was assigned is not what consumers write; an assignor of the
// clients' own would lose its data; a member does not fit a record.
sdk::Result<DurableConsumerGroup> upgraded(const ClassicGroup& group, const cluster::Image& image,
                                           const GroupLimits& limits, Now now);

// All members are classic ones. The errors are those of logs that are not ours, and size.
sdk::Result<wire::GroupMetadataValue> downgraded(const DurableConsumerGroup& group,
                                                 const cluster::Image& image,
                                                 const GroupLimits& limits, Now now);

// A member's partitions as SyncGroup tells them, in the version of the metadata that it sent.
// Nothing: that is not a consumer's. Topics that are gone are left out.
std::optional<wire::Bytes> told_as_classic(const PartitionSet& partitions,
                                           const cluster::Image& image,
                                           std::span<const std::byte> metadata);

// The other way round: what a member says it owns, or was assigned.
template <class List>
PartitionSet known_partitions(const List& topics, const cluster::Image& image) {
    PartitionSet known;
    for (const auto& topic : topics) {
        const cluster::TopicImage* found = image.topic(topic.topic);
        if (found != nullptr && !topic.partitions.empty())
            known[found->id].insert(topic.partitions.begin(), topic.partitions.end());
    }
    return known;
}

}  // namespace leat::groups
