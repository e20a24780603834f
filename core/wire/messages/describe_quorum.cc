#include "core/wire/messages/describe_quorum.h"

namespace leat::wire {

std::span<const Field> DescribeQuorumRequest::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
    };
    return list;
}

std::span<const Field> DescribeQuorumRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic_name>("TopicName"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> DescribeQuorumRequest::fields() {
    static constexpr Field list[] = {
        field<&DescribeQuorumRequest::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits DescribeQuorumRequest::traits{
    .name = "DescribeQuorumRequest",
    .key = ApiKey::describe_quorum,
    .versions = {0, 2},
    .flexible = always,
    .fields = &DescribeQuorumRequest::fields,
};

std::span<const Field> DescribeQuorumResponse::ReplicaState::fields() {
    static constexpr Field list[] = {
        field<&ReplicaState::replica_id>("ReplicaId"),
        field<&ReplicaState::replica_directory_id>("ReplicaDirectoryId").in(since(2)),
        field<&ReplicaState::log_end_offset>("LogEndOffset"),
        field<&ReplicaState::last_fetch_timestamp>("LastFetchTimestamp").in(since(1)).ignorable(),
        field<&ReplicaState::last_caught_up_timestamp>("LastCaughtUpTimestamp")
            .in(since(1))
            .ignorable(),
    };
    return list;
}

std::span<const Field> DescribeQuorumResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::error_code>("ErrorCode"),
        field<&Partition::error_message>("ErrorMessage").in(since(2)).ignorable(),
        field<&Partition::leader_id>("LeaderId"),
        field<&Partition::leader_epoch>("LeaderEpoch"),
        field<&Partition::high_watermark>("HighWatermark"),
        field<&Partition::current_voters>("CurrentVoters"),
        field<&Partition::observers>("Observers"),
    };
    return list;
}

std::span<const Field> DescribeQuorumResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic_name>("TopicName"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> DescribeQuorumResponse::Listener::fields() {
    static constexpr Field list[] = {
        field<&Listener::name>("Name").in(since(2)),
        field<&Listener::host>("Host").in(since(2)),
        field<&Listener::port>("Port").in(since(2)),
    };
    return list;
}

std::span<const Field> DescribeQuorumResponse::Node::fields() {
    static constexpr Field list[] = {
        field<&Node::node_id>("NodeId").in(since(2)),
        field<&Node::listeners>("Listeners").in(since(2)),
    };
    return list;
}

std::span<const Field> DescribeQuorumResponse::fields() {
    static constexpr Field list[] = {
        field<&DescribeQuorumResponse::error_code>("ErrorCode"),
        field<&DescribeQuorumResponse::error_message>("ErrorMessage").in(since(2)).ignorable(),
        field<&DescribeQuorumResponse::topics>("Topics"),
        field<&DescribeQuorumResponse::nodes>("Nodes").in(since(2)),
    };
    return list;
}

constinit const MessageTraits DescribeQuorumResponse::traits{
    .name = "DescribeQuorumResponse",
    .key = ApiKey::describe_quorum,
    .versions = {0, 2},
    .flexible = always,
    .fields = &DescribeQuorumResponse::fields,
};

}  // namespace leat::wire
