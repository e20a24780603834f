// What a coordinator knows for good: the sum of the records of its partition of __consumer_offsets.
// Changed by replay() only, at run time and at recovery alike.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/groups/durable_consumer_group.h"
#include "core/wire/group_records/group_record.h"

namespace leat::groups {

using Record = wire::GroupRecord;

struct DurableGroup {
    using Partitions = std::map<std::int32_t, wire::OffsetCommitValue>;

    std::optional<wire::GroupMetadataValue> classic;         // Absent: offsets without members.
    DurableConsumerGroup consumer;                           // Or of the protocol of KIP-848.
    std::map<std::string, Partitions, std::less<>> offsets;  // By topic.

    const wire::OffsetCommitValue* find(const std::string& topic, std::int32_t partition) const;
    bool empty() const { return !classic && consumer.empty() && offsets.empty(); }
    bool operator==(const DurableGroup&) const = default;
};

class DurableGroups {
public:
    // Right after the record's append, in the order of the log. A record without a value removes.
    void replay(const Record& record);

    const DurableGroup* find(const std::string& group) const;
    const std::map<std::string, DurableGroup>& all() const { return groups_; }
    bool operator==(const DurableGroups&) const = default;

private:
    void put(const wire::GroupMetadataRecord& record);
    void put(const wire::OffsetCommitRecord& record);
    template <class OfConsumerGroup>
    void put(const OfConsumerGroup& record);
    void forget_if_empty(const std::string& group);

    std::map<std::string, DurableGroup> groups_;
};

}  // namespace leat::groups
