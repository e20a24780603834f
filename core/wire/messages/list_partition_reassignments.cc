#include "core/wire/messages/list_partition_reassignments.h"

namespace leat::wire {

std::span<const Field> ListPartitionReassignmentsRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partition_indexes>("PartitionIndexes"),
    };
    return list;
}

std::span<const Field> ListPartitionReassignmentsRequest::fields() {
    static constexpr Field list[] = {
        field<&ListPartitionReassignmentsRequest::timeout_ms>("TimeoutMs"),
        field<&ListPartitionReassignmentsRequest::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits ListPartitionReassignmentsRequest::traits{
    .name = "ListPartitionReassignmentsRequest",
    .key = ApiKey::list_partition_reassignments,
    .versions = {0, 0},
    .flexible = always,
    .fields = &ListPartitionReassignmentsRequest::fields,
};

std::span<const Field> ListPartitionReassignmentsResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::replicas>("Replicas"),
        field<&Partition::adding_replicas>("AddingReplicas"),
        field<&Partition::removing_replicas>("RemovingReplicas"),
    };
    return list;
}

std::span<const Field> ListPartitionReassignmentsResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> ListPartitionReassignmentsResponse::fields() {
    static constexpr Field list[] = {
        field<&ListPartitionReassignmentsResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&ListPartitionReassignmentsResponse::error_code>("ErrorCode"),
        field<&ListPartitionReassignmentsResponse::error_message>("ErrorMessage"),
        field<&ListPartitionReassignmentsResponse::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits ListPartitionReassignmentsResponse::traits{
    .name = "ListPartitionReassignmentsResponse",
    .key = ApiKey::list_partition_reassignments,
    .versions = {0, 0},
    .flexible = always,
    .fields = &ListPartitionReassignmentsResponse::fields,
};

}  // namespace leat::wire
