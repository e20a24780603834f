#include "core/wire/messages/offset_for_leader_epoch.h"

namespace leat::wire {

std::span<const Field> OffsetForLeaderEpochRequest::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition>("Partition"),
        field<&Partition::current_leader_epoch>("CurrentLeaderEpoch").in(since(2)).ignorable(),
        field<&Partition::leader_epoch>("LeaderEpoch"),
    };
    return list;
}

std::span<const Field> OffsetForLeaderEpochRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic>("Topic"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> OffsetForLeaderEpochRequest::fields() {
    static constexpr Field list[] = {
        field<&OffsetForLeaderEpochRequest::replica_id>("ReplicaId").in(since(3)).ignorable(),
        field<&OffsetForLeaderEpochRequest::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits OffsetForLeaderEpochRequest::traits{
    .name = "OffsetForLeaderEpochRequest",
    .key = ApiKey::offset_for_leader_epoch,
    .versions = {2, 4},
    .flexible = since(4),
    .fields = &OffsetForLeaderEpochRequest::fields,
};

std::span<const Field> OffsetForLeaderEpochResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::error_code>("ErrorCode"),
        field<&Partition::partition>("Partition"),
        field<&Partition::leader_epoch>("LeaderEpoch").in(since(1)).ignorable(),
        field<&Partition::end_offset>("EndOffset"),
    };
    return list;
}

std::span<const Field> OffsetForLeaderEpochResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic>("Topic"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> OffsetForLeaderEpochResponse::fields() {
    static constexpr Field list[] = {
        field<&OffsetForLeaderEpochResponse::throttle_time_ms>("ThrottleTimeMs")
            .in(since(2)).ignorable(),
        field<&OffsetForLeaderEpochResponse::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits OffsetForLeaderEpochResponse::traits{
    .name = "OffsetForLeaderEpochResponse",
    .key = ApiKey::offset_for_leader_epoch,
    .versions = {2, 4},
    .flexible = since(4),
    .fields = &OffsetForLeaderEpochResponse::fields,
};

}  // namespace leat::wire
