#include "core/wire/group_records/group_record.h"

#include <string>
#include <utility>

#include "core/wire/version_prefix.h"

namespace leat::wire {
namespace {

// All keys are of their only version; the number in front is the type.
constexpr Version key_version = 0;

constexpr Version expiring_offset_version = 1;
constexpr Version group_metadata_version = 3;

template <class Record>
Result<GroupRecord> decode_fields(std::span<const std::byte> key,
                                  std::optional<std::span<const std::byte>> value) {
    Record record;
    auto read_key = decode<typename Record::Key>(key, key_version);
    if (!read_key) return read_key.error();
    record.key = std::move(*read_key);
    if (!value) return GroupRecord{std::move(record)};
    const auto split = split_version(*value, Record::Value::traits.name);
    if (!split) return split.error();
    auto read_value = decode<typename Record::Value>(split->second, split->first);
    if (!read_value) return read_value.error();
    record.value = std::move(*read_value);
    return GroupRecord{std::move(record)};
}

template <std::size_t index = 0>
Result<GroupRecord> decode_typed(GroupRecordType type, std::span<const std::byte> key,
                                 std::optional<std::span<const std::byte>> value) {
    if constexpr (index == std::variant_size_v<GroupRecord>) {
        return sdk::Error{sdk::Errc::unsupported, "group records of type " +
                                                      std::to_string(static_cast<int>(type)) +
                                                      " are not known here"};
    } else {
        using Record = std::variant_alternative_t<index, GroupRecord>;
        if (Record::type == type) return decode_fields<Record>(key, value);
        return decode_typed<index + 1>(type, key, value);
    }
}

Version version_for(const OffsetCommitRecord& record, Version offsets) {
    const bool expires = record.value && record.value->expire_timestamp != -1;
    return expires ? expiring_offset_version : offsets;
}
Version version_for(const GroupMetadataRecord&, Version) {
    return group_metadata_version;
}
template <class Record>
Version version_for(const Record&, Version) {
    return Record::Value::traits.versions.max;
}

}  // namespace

Result<GroupRecord> decode_group_record(std::span<const std::byte> key,
                                        std::optional<std::span<const std::byte>> value) {
    const auto split = split_version(key, "a group record's key");
    if (!split) return split.error();
    auto type = static_cast<GroupRecordType>(split->first);
    if (type == GroupRecordType::legacy_offset_commit) type = GroupRecordType::offset_commit;
    return decode_typed(type, split->second, value);
}

Version written_version(const GroupRecord& record, Version offsets) {
    return std::visit([&](const auto& each) { return version_for(each, offsets); }, record);
}

Result<GroupRecordBytes> encode_group_record(const GroupRecord& record, Version value_version) {
    return std::visit(
        [&]<class Record>(const Record& each) -> Result<GroupRecordBytes> {
            auto key = encode_prefixed(static_cast<Version>(Record::type), each.key, key_version);
            if (!key) return key.error();
            if (!each.value) return GroupRecordBytes{std::move(*key), std::nullopt};
            auto value = encode_prefixed(value_version, *each.value, value_version);
            if (!value) return value.error();
            return GroupRecordBytes{std::move(*key), std::move(*value)};
        },
        record);
}

}  // namespace leat::wire
