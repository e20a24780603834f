#include "core/wire/messages/offset_fetch.h"

namespace leat::wire {

std::span<const Field> OffsetFetchRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name").in(until(7)),
        field<&Topic::partition_indexes>("PartitionIndexes").in(until(7)),
    };
    return list;
}

std::span<const Field> OffsetFetchRequest::GroupTopic::fields() {
    static constexpr Field list[] = {
        field<&GroupTopic::name>("Name").in(between(8, 9)).ignorable(),
        field<&GroupTopic::topic_id>("TopicId").in(since(10)).ignorable(),
        field<&GroupTopic::partition_indexes>("PartitionIndexes").in(since(8)),
    };
    return list;
}

std::span<const Field> OffsetFetchRequest::Group::fields() {
    static constexpr Field list[] = {
        field<&Group::group_id>("GroupId").in(since(8)),
        field<&Group::member_id>("MemberId").in(since(9)).ignorable(),
        field<&Group::member_epoch>("MemberEpoch").in(since(9)).ignorable(),
        field<&Group::topics>("Topics").in(since(8)),
    };
    return list;
}

std::span<const Field> OffsetFetchRequest::fields() {
    static constexpr Field list[] = {
        field<&OffsetFetchRequest::group_id>("GroupId").in(until(7)),
        field<&OffsetFetchRequest::topics>("Topics").in(until(7)).null_in(since(2)),
        field<&OffsetFetchRequest::groups>("Groups").in(since(8)),
        field<&OffsetFetchRequest::require_stable>("RequireStable").in(since(7)),
    };
    return list;
}

constinit const MessageTraits OffsetFetchRequest::traits{
    .name = "OffsetFetchRequest",
    .key = ApiKey::offset_fetch,
    .versions = {1, 10},
    .flexible = since(6),
    .fields = &OffsetFetchRequest::fields,
};

std::span<const Field> OffsetFetchResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::committed_offset>("CommittedOffset"),
        field<&Partition::committed_leader_epoch>("CommittedLeaderEpoch").in(since(5)).ignorable(),
        field<&Partition::metadata>("Metadata"),
        field<&Partition::error_code>("ErrorCode"),
    };
    return list;
}

std::span<const Field> OffsetFetchResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name").in(until(7)),
        field<&Topic::partitions>("Partitions").in(until(7)),
    };
    return list;
}

std::span<const Field> OffsetFetchResponse::GroupTopic::fields() {
    static constexpr Field list[] = {
        field<&GroupTopic::name>("Name").in(between(8, 9)).ignorable(),
        field<&GroupTopic::topic_id>("TopicId").in(since(10)).ignorable(),
        field<&GroupTopic::partitions>("Partitions").in(since(8)),
    };
    return list;
}

std::span<const Field> OffsetFetchResponse::Group::fields() {
    static constexpr Field list[] = {
        field<&Group::group_id>("GroupId").in(since(8)),
        field<&Group::topics>("Topics").in(since(8)),
        field<&Group::error_code>("ErrorCode").in(since(8)),
    };
    return list;
}

std::span<const Field> OffsetFetchResponse::fields() {
    static constexpr Field list[] = {
        field<&OffsetFetchResponse::throttle_time_ms>("ThrottleTimeMs").in(since(3)).ignorable(),
        field<&OffsetFetchResponse::topics>("Topics").in(until(7)),
        field<&OffsetFetchResponse::error_code>("ErrorCode").in(between(2, 7)).ignorable(),
        field<&OffsetFetchResponse::groups>("Groups").in(since(8)),
    };
    return list;
}

constinit const MessageTraits OffsetFetchResponse::traits{
    .name = "OffsetFetchResponse",
    .key = ApiKey::offset_fetch,
    .versions = {1, 10},
    .flexible = since(6),
    .fields = &OffsetFetchResponse::fields,
};

}  // namespace leat::wire
