#include "core/wire/messages/list_offsets.h"

namespace leat::wire {

std::span<const Field> ListOffsetsRequest::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::current_leader_epoch>("CurrentLeaderEpoch").in(since(4)).ignorable(),
        field<&Partition::timestamp>("Timestamp"),
        field<&Partition::max_num_offsets>("MaxNumOffsets").in(between(0, 0)),
    };
    return list;
}

std::span<const Field> ListOffsetsRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> ListOffsetsRequest::fields() {
    static constexpr Field list[] = {
        field<&ListOffsetsRequest::replica_id>("ReplicaId"),
        field<&ListOffsetsRequest::isolation_level>("IsolationLevel").in(since(2)),
        field<&ListOffsetsRequest::topics>("Topics"),
        field<&ListOffsetsRequest::timeout_ms>("TimeoutMs").in(since(10)).ignorable(),
    };
    return list;
}

constinit const MessageTraits ListOffsetsRequest::traits{
    .name = "ListOffsetsRequest",
    .key = ApiKey::list_offsets,
    .versions = {0, 11},
    .flexible = since(6),
    .fields = &ListOffsetsRequest::fields,
};

std::span<const Field> ListOffsetsResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::error_code>("ErrorCode"),
        field<&Partition::old_style_offsets>("OldStyleOffsets").in(between(0, 0)),
        field<&Partition::timestamp>("Timestamp").in(since(1)),
        field<&Partition::offset>("Offset").in(since(1)),
        field<&Partition::leader_epoch>("LeaderEpoch").in(since(4)),
    };
    return list;
}

std::span<const Field> ListOffsetsResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> ListOffsetsResponse::fields() {
    static constexpr Field list[] = {
        field<&ListOffsetsResponse::throttle_time_ms>("ThrottleTimeMs").in(since(2)).ignorable(),
        field<&ListOffsetsResponse::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits ListOffsetsResponse::traits{
    .name = "ListOffsetsResponse",
    .key = ApiKey::list_offsets,
    .versions = {0, 11},
    .flexible = since(6),
    .fields = &ListOffsetsResponse::fields,
};

}  // namespace leat::wire
