#include "core/groups/durable_groups.h"

#include <variant>

namespace leat::groups {

const wire::OffsetCommitValue* DurableGroup::find(const std::string& topic,
                                                  std::int32_t partition) const {
    const auto partitions = offsets.find(topic);
    if (partitions == offsets.end()) return nullptr;
    const auto found = partitions->second.find(partition);
    return found == partitions->second.end() ? nullptr : &found->second;
}

const DurableGroup* DurableGroups::find(const std::string& group) const {
    const auto found = groups_.find(group);
    return found == groups_.end() ? nullptr : &found->second;
}

template <class OfConsumerGroup>
void DurableGroups::put(const OfConsumerGroup& record) {
    groups_[record.key.group_id].consumer.put(record);
    forget_if_empty(record.key.group_id);
}

void DurableGroups::replay(const Record& record) {
    std::visit([this](const auto& kind) { put(kind); }, record);
}

void DurableGroups::put(const wire::GroupMetadataRecord& record) {
    groups_[record.key.group].classic = record.value;
    forget_if_empty(record.key.group);
}

void DurableGroups::put(const wire::OffsetCommitRecord& record) {
    const wire::OffsetCommitKey& key = record.key;
    DurableGroup& group = groups_[key.group];
    if (record.value) {
        group.offsets[key.topic][key.partition] = *record.value;
        return;
    }
    const auto partitions = group.offsets.find(key.topic);
    if (partitions != group.offsets.end()) {
        partitions->second.erase(key.partition);
        if (partitions->second.empty()) group.offsets.erase(partitions);
    }
    forget_if_empty(record.key.group);
}

void DurableGroups::forget_if_empty(const std::string& group) {
    const auto found = groups_.find(group);
    if (found != groups_.end() && found->second.empty()) groups_.erase(found);
}

}  // namespace leat::groups
