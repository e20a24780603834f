#include "core/groups/durable_consumer_group.h"

namespace leat::groups {
namespace {

template <class Map, class Value>
void put_or_erase(Map& map, const std::string& key, const std::optional<Value>& value) {
    if (value) {
        map.insert_or_assign(key, *value);
    } else {
        map.erase(key);
    }
}

}  // namespace

void DurableConsumerGroup::put(const wire::ConsumerGroupMetadataRecord& record) {
    metadata = record.value;
}

void DurableConsumerGroup::put(const wire::ConsumerGroupPartitionMetadataRecord& record) {
    lists_topics = record.value.has_value();
}

void DurableConsumerGroup::put(const wire::ConsumerGroupMemberMetadataRecord& record) {
    put_or_erase(members, record.key.member_id, record.value);
}

void DurableConsumerGroup::put(const wire::ConsumerGroupTargetAssignmentMetadataRecord& record) {
    target = record.value;
}

void DurableConsumerGroup::put(const wire::ConsumerGroupTargetAssignmentMemberRecord& record) {
    put_or_erase(targets, record.key.member_id, record.value);
}

void DurableConsumerGroup::put(const wire::ConsumerGroupCurrentMemberAssignmentRecord& record) {
    put_or_erase(current, record.key.member_id, record.value);
}

void DurableConsumerGroup::put(const wire::ConsumerGroupRegularExpressionRecord& record) {
    put_or_erase(patterns, record.key.regular_expression, record.value);
}

bool DurableConsumerGroup::empty() const {
    return !metadata && !target && members.empty() && targets.empty() && current.empty() &&
           patterns.empty() && !lists_topics;
}

}  // namespace leat::groups
