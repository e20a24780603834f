// What is stored of one group of KIP-848: each part in records of its own, so that a member that
// comes or moves writes what is its own only. See core/wire/group_records/consumer_group.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/wire/group_records/group_record.h"

namespace leat::groups {

struct DurableConsumerGroup {
    // Of the group: absent before its first record, and then there is no such group.
    std::optional<wire::ConsumerGroupMetadataValue> metadata;
    std::optional<wire::ConsumerGroupTargetAssignmentMetadataValue> target;
    // By member.
    std::map<std::string, wire::ConsumerGroupMemberMetadataValue> members;
    std::map<std::string, wire::ConsumerGroupTargetAssignmentMemberValue> targets;
    std::map<std::string, wire::ConsumerGroupCurrentMemberAssignmentValue> current;
    // By regular expression.
    std::map<std::string, wire::ConsumerGroupRegularExpressionValue> patterns;
    // A Kafka before 4.1 listed its topics: nobody reads that, but it goes when the group goes.
    bool lists_topics = false;

    // A record without a value removes.
    void put(const wire::ConsumerGroupMetadataRecord& record);
    void put(const wire::ConsumerGroupPartitionMetadataRecord& record);
    void put(const wire::ConsumerGroupMemberMetadataRecord& record);
    void put(const wire::ConsumerGroupTargetAssignmentMetadataRecord& record);
    void put(const wire::ConsumerGroupTargetAssignmentMemberRecord& record);
    void put(const wire::ConsumerGroupCurrentMemberAssignmentRecord& record);
    void put(const wire::ConsumerGroupRegularExpressionRecord& record);

    // Groups begin at epoch 1, with an assignment of that epoch that gives nothing: so no member
    // ever has the epoch 0, which says that it joins.
    std::int32_t epoch() const { return metadata ? metadata->epoch : 1; }
    std::int32_t assignment_epoch() const { return target ? target->assignment_epoch : 1; }

    bool empty() const;
    bool operator==(const DurableConsumerGroup&) const = default;
};

}  // namespace leat::groups
