#include "core/wire/messages/describe_topic_partitions.h"

namespace leat::wire {

std::span<const Field> DescribeTopicPartitionsRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
    };
    return list;
}

std::span<const Field> DescribeTopicPartitionsRequest::Cursor::fields() {
    static constexpr Field list[] = {
        field<&Cursor::topic_name>("TopicName"),
        field<&Cursor::partition_index>("PartitionIndex"),
    };
    return list;
}

std::span<const Field> DescribeTopicPartitionsRequest::fields() {
    static constexpr Field list[] = {
        field<&DescribeTopicPartitionsRequest::topics>("Topics"),
        field<&DescribeTopicPartitionsRequest::response_partition_limit>("ResponsePartitionLimit"),
        field<&DescribeTopicPartitionsRequest::cursor>("Cursor"),
    };
    return list;
}

constinit const MessageTraits DescribeTopicPartitionsRequest::traits{
    .name = "DescribeTopicPartitionsRequest",
    .key = ApiKey::describe_topic_partitions,
    .versions = {0, 0},
    .flexible = always,
    .fields = &DescribeTopicPartitionsRequest::fields,
};

std::span<const Field> DescribeTopicPartitionsResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::error_code>("ErrorCode"),
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::leader_id>("LeaderId"),
        field<&Partition::leader_epoch>("LeaderEpoch").ignorable(),
        field<&Partition::replica_nodes>("ReplicaNodes"),
        field<&Partition::isr_nodes>("IsrNodes"),
        field<&Partition::eligible_leader_replicas>("EligibleLeaderReplicas"),
        field<&Partition::last_known_elr>("LastKnownElr"),
        field<&Partition::offline_replicas>("OfflineReplicas").ignorable(),
    };
    return list;
}

std::span<const Field> DescribeTopicPartitionsResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::error_code>("ErrorCode"),
        field<&Topic::name>("Name"),
        field<&Topic::topic_id>("TopicId").ignorable(),
        field<&Topic::is_internal>("IsInternal").ignorable(),
        field<&Topic::partitions>("Partitions"),
        field<&Topic::topic_authorized_operations>("TopicAuthorizedOperations"),
    };
    return list;
}

std::span<const Field> DescribeTopicPartitionsResponse::Cursor::fields() {
    static constexpr Field list[] = {
        field<&Cursor::topic_name>("TopicName"),
        field<&Cursor::partition_index>("PartitionIndex"),
    };
    return list;
}

std::span<const Field> DescribeTopicPartitionsResponse::fields() {
    static constexpr Field list[] = {
        field<&DescribeTopicPartitionsResponse::throttle_time_ms>("ThrottleTimeMs").ignorable(),
        field<&DescribeTopicPartitionsResponse::topics>("Topics"),
        field<&DescribeTopicPartitionsResponse::next_cursor>("NextCursor"),
    };
    return list;
}

constinit const MessageTraits DescribeTopicPartitionsResponse::traits{
    .name = "DescribeTopicPartitionsResponse",
    .key = ApiKey::describe_topic_partitions,
    .versions = {0, 0},
    .flexible = always,
    .fields = &DescribeTopicPartitionsResponse::fields,
};

}  // namespace leat::wire
