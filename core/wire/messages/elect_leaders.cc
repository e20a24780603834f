#include "core/wire/messages/elect_leaders.h"

namespace leat::wire {

std::span<const Field> ElectLeadersRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic>("Topic"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> ElectLeadersRequest::fields() {
    static constexpr Field list[] = {
        field<&ElectLeadersRequest::election_type>("ElectionType").in(since(1)),
        field<&ElectLeadersRequest::topic_partitions>("TopicPartitions"),
        field<&ElectLeadersRequest::timeout_ms>("TimeoutMs"),
    };
    return list;
}

constinit const MessageTraits ElectLeadersRequest::traits{
    .name = "ElectLeadersRequest",
    .key = ApiKey::elect_leaders,
    .versions = {0, 2},
    .flexible = since(2),
    .fields = &ElectLeadersRequest::fields,
};

std::span<const Field> ElectLeadersResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_id>("PartitionId"),
        field<&Partition::error_code>("ErrorCode"),
        field<&Partition::error_message>("ErrorMessage"),
    };
    return list;
}

std::span<const Field> ElectLeadersResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic>("Topic"),
        field<&Topic::partition_result>("PartitionResult"),
    };
    return list;
}

std::span<const Field> ElectLeadersResponse::fields() {
    static constexpr Field list[] = {
        field<&ElectLeadersResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&ElectLeadersResponse::error_code>("ErrorCode").in(since(1)),
        field<&ElectLeadersResponse::replica_election_results>("ReplicaElectionResults"),
    };
    return list;
}

constinit const MessageTraits ElectLeadersResponse::traits{
    .name = "ElectLeadersResponse",
    .key = ApiKey::elect_leaders,
    .versions = {0, 2},
    .flexible = since(2),
    .fields = &ElectLeadersResponse::fields,
};

}  // namespace leat::wire
