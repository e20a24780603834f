#include "core/wire/messages/offset_delete.h"

namespace leat::wire {

std::span<const Field> OffsetDeleteRequest::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
    };
    return list;
}

std::span<const Field> OffsetDeleteRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> OffsetDeleteRequest::fields() {
    static constexpr Field list[] = {
        field<&OffsetDeleteRequest::group_id>("GroupId"),
        field<&OffsetDeleteRequest::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits OffsetDeleteRequest::traits{
    .name = "OffsetDeleteRequest",
    .key = ApiKey::offset_delete,
    .versions = {0, 0},
    .fields = &OffsetDeleteRequest::fields,
};

std::span<const Field> OffsetDeleteResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::error_code>("ErrorCode"),
    };
    return list;
}

std::span<const Field> OffsetDeleteResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> OffsetDeleteResponse::fields() {
    static constexpr Field list[] = {
        field<&OffsetDeleteResponse::error_code>("ErrorCode"),
        field<&OffsetDeleteResponse::throttle_time_ms>("ThrottleTimeMs").ignorable(),
        field<&OffsetDeleteResponse::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits OffsetDeleteResponse::traits{
    .name = "OffsetDeleteResponse",
    .key = ApiKey::offset_delete,
    .versions = {0, 0},
    .fields = &OffsetDeleteResponse::fields,
};

}  // namespace leat::wire
