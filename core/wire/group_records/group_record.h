// The records of `__consumer_offsets`, byte for byte as Kafka 4.4's group coordinator writes them,
// so that its tools read ours and Leat reads a log that Kafka wrote.
//
//   key    int16 type, then the key's fields
//   value  int16 version, then the value's fields; a record without a value, a tombstone, says that
//          what its key names is no more
//
// Types that belong to share and streams groups are not known here. Kafka skips a record of a type
// that it does not know, with a warning: somebody newer wrote it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "core/wire/codec.h"
#include "core/wire/group_records/consumer_group.h"
#include "core/wire/group_records/group_metadata.h"
#include "core/wire/group_records/offset_commit.h"

namespace leat::wire {

enum class GroupRecordType : std::int16_t {
    legacy_offset_commit = 0,  // Read as an OffsetCommitRecord, never written.
    offset_commit = 1,
    group_metadata = 2,
    consumer_group_metadata = 3,
    consumer_group_partition_metadata = 4,
    consumer_group_member_metadata = 5,
    consumer_group_target_assignment_metadata = 6,
    consumer_group_target_assignment_member = 7,
    consumer_group_current_member_assignment = 8,
    consumer_group_regular_expression = 16,
};

template <GroupRecordType record_type, Message KeyFields, Message ValueFields>
struct TypedGroupRecord {
    static constexpr GroupRecordType type = record_type;
    using Key = KeyFields;
    using Value = ValueFields;

    Key key;
    std::optional<Value> value;  // Nothing: a tombstone.

    bool operator==(const TypedGroupRecord&) const = default;
};

using OffsetCommitRecord =
    TypedGroupRecord<GroupRecordType::offset_commit, OffsetCommitKey, OffsetCommitValue>;
using GroupMetadataRecord =
    TypedGroupRecord<GroupRecordType::group_metadata, GroupMetadataKey, GroupMetadataValue>;
using ConsumerGroupMetadataRecord =
    TypedGroupRecord<GroupRecordType::consumer_group_metadata, ConsumerGroupMetadataKey,
                     ConsumerGroupMetadataValue>;
using ConsumerGroupPartitionMetadataRecord =
    TypedGroupRecord<GroupRecordType::consumer_group_partition_metadata,
                     ConsumerGroupPartitionMetadataKey, ConsumerGroupPartitionMetadataValue>;
using ConsumerGroupMemberMetadataRecord =
    TypedGroupRecord<GroupRecordType::consumer_group_member_metadata,
                     ConsumerGroupMemberMetadataKey, ConsumerGroupMemberMetadataValue>;
using ConsumerGroupTargetAssignmentMetadataRecord =
    TypedGroupRecord<GroupRecordType::consumer_group_target_assignment_metadata,
                     ConsumerGroupTargetAssignmentMetadataKey,
                     ConsumerGroupTargetAssignmentMetadataValue>;
using ConsumerGroupTargetAssignmentMemberRecord =
    TypedGroupRecord<GroupRecordType::consumer_group_target_assignment_member,
                     ConsumerGroupTargetAssignmentMemberKey,
                     ConsumerGroupTargetAssignmentMemberValue>;
using ConsumerGroupCurrentMemberAssignmentRecord =
    TypedGroupRecord<GroupRecordType::consumer_group_current_member_assignment,
                     ConsumerGroupCurrentMemberAssignmentKey,
                     ConsumerGroupCurrentMemberAssignmentValue>;
using ConsumerGroupRegularExpressionRecord =
    TypedGroupRecord<GroupRecordType::consumer_group_regular_expression,
                     ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue>;

using GroupRecord =
    std::variant<OffsetCommitRecord, GroupMetadataRecord, ConsumerGroupMetadataRecord,
                 ConsumerGroupPartitionMetadataRecord, ConsumerGroupMemberMetadataRecord,
                 ConsumerGroupTargetAssignmentMetadataRecord,
                 ConsumerGroupTargetAssignmentMemberRecord,
                 ConsumerGroupCurrentMemberAssignmentRecord, ConsumerGroupRegularExpressionRecord>;

// Both failures leave the rest of the log readable. Errc::unsupported: a type or a version of a
// value that is not known here. Errc::corrupt: bytes that are not what their type and version say,
// or that need more memory than decode_budget allows. Bytes after the last field are ignored, as
// Kafka ignores them. Nothing points into `key` and `value`.
Result<GroupRecord> decode_group_record(std::span<const std::byte> key,
                                        std::optional<std::span<const std::byte>> value);

struct GroupRecordBytes {
    Buffer key;
    std::optional<Buffer> value;

    bool operator==(const GroupRecordBytes&) const = default;
};

// Of offsets: 4 holds their topic's id and is what Kafka 4.4 writes; 3 is what programs read that
// were made when Kafka wrote no other.
inline constexpr Version oldest_written_offsets = 3;
inline constexpr Version newest_written_offsets = 4;

// The version in which Kafka 4.4 writes the record's value: of offsets `offsets`, or 1 when they
// expire by themselves, of classic groups 3, of all others 0.
Version written_version(const GroupRecord& record, Version offsets = newest_written_offsets);

// Fails, naming the field, when a string is longer than Kafka reads (INT16_MAX bytes), and when a
// value has no place in the version.
Result<GroupRecordBytes> encode_group_record(const GroupRecord& record, Version value_version);
inline Result<GroupRecordBytes> encode_group_record(const GroupRecord& record) {
    return encode_group_record(record, written_version(record));
}

}  // namespace leat::wire
