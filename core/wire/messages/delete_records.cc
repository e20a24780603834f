#include "core/wire/messages/delete_records.h"

namespace leat::wire {

std::span<const Field> DeleteRecordsRequest::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::offset>("Offset"),
    };
    return list;
}

std::span<const Field> DeleteRecordsRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> DeleteRecordsRequest::fields() {
    static constexpr Field list[] = {
        field<&DeleteRecordsRequest::topics>("Topics"),
        field<&DeleteRecordsRequest::timeout_ms>("TimeoutMs"),
    };
    return list;
}

constinit const MessageTraits DeleteRecordsRequest::traits{
    .name = "DeleteRecordsRequest",
    .key = ApiKey::delete_records,
    .versions = {0, 2},
    .flexible = since(2),
    .fields = &DeleteRecordsRequest::fields,
};

std::span<const Field> DeleteRecordsResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::low_watermark>("LowWatermark"),
        field<&Partition::error_code>("ErrorCode"),
    };
    return list;
}

std::span<const Field> DeleteRecordsResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> DeleteRecordsResponse::fields() {
    static constexpr Field list[] = {
        field<&DeleteRecordsResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&DeleteRecordsResponse::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits DeleteRecordsResponse::traits{
    .name = "DeleteRecordsResponse",
    .key = ApiKey::delete_records,
    .versions = {0, 2},
    .flexible = since(2),
    .fields = &DeleteRecordsResponse::fields,
};

}  // namespace leat::wire
