#include "core/wire/messages/offset_commit.h"

namespace leat::wire {

std::span<const Field> OffsetCommitRequest::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::committed_offset>("CommittedOffset"),
        field<&Partition::committed_leader_epoch>("CommittedLeaderEpoch").in(since(6)).ignorable(),
        field<&Partition::committed_metadata>("CommittedMetadata"),
    };
    return list;
}

std::span<const Field> OffsetCommitRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name").in(until(9)).ignorable(),
        field<&Topic::topic_id>("TopicId").in(since(10)).ignorable(),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> OffsetCommitRequest::fields() {
    static constexpr Field list[] = {
        field<&OffsetCommitRequest::group_id>("GroupId"),
        field<&OffsetCommitRequest::generation_id_or_member_epoch>("GenerationIdOrMemberEpoch")
            .ignorable(),
        field<&OffsetCommitRequest::member_id>("MemberId").ignorable(),
        field<&OffsetCommitRequest::group_instance_id>("GroupInstanceId").in(since(7)),
        field<&OffsetCommitRequest::retention_time_ms>("RetentionTimeMs").in(until(4)).ignorable(),
        field<&OffsetCommitRequest::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits OffsetCommitRequest::traits{
    .name = "OffsetCommitRequest",
    .key = ApiKey::offset_commit,
    .versions = {2, 10},
    .flexible = since(8),
    .fields = &OffsetCommitRequest::fields,
};

std::span<const Field> OffsetCommitResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::error_code>("ErrorCode"),
    };
    return list;
}

std::span<const Field> OffsetCommitResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name").in(until(9)).ignorable(),
        field<&Topic::topic_id>("TopicId").in(since(10)).ignorable(),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> OffsetCommitResponse::fields() {
    static constexpr Field list[] = {
        field<&OffsetCommitResponse::throttle_time_ms>("ThrottleTimeMs").in(since(3)).ignorable(),
        field<&OffsetCommitResponse::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits OffsetCommitResponse::traits{
    .name = "OffsetCommitResponse",
    .key = ApiKey::offset_commit,
    .versions = {2, 10},
    .flexible = since(8),
    .fields = &OffsetCommitResponse::fields,
};

}  // namespace leat::wire
