#include "core/wire/messages/metadata.h"

namespace leat::wire {

std::span<const Field> MetadataRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic_id>("TopicId").in(since(10)).ignorable(),
        field<&Topic::name>("Name").null_in(since(10)),
    };
    return list;
}

std::span<const Field> MetadataRequest::fields() {
    static constexpr Field list[] = {
        field<&MetadataRequest::topics>("Topics").null_in(since(1)),
        field<&MetadataRequest::allow_auto_topic_creation>("AllowAutoTopicCreation").in(since(4)),
        field<&MetadataRequest::include_cluster_authorized_operations>(
            "IncludeClusterAuthorizedOperations")
            .in(between(8, 10)),
        field<&MetadataRequest::include_topic_authorized_operations>(
            "IncludeTopicAuthorizedOperations")
            .in(since(8)),
    };
    return list;
}

constinit const MessageTraits MetadataRequest::traits{
    .name = "MetadataRequest",
    .key = ApiKey::metadata,
    .versions = {0, 13},
    .flexible = since(9),
    .fields = &MetadataRequest::fields,
};

std::span<const Field> MetadataResponse::Broker::fields() {
    static constexpr Field list[] = {
        field<&Broker::node_id>("NodeId"),
        field<&Broker::host>("Host"),
        field<&Broker::port>("Port"),
        field<&Broker::rack>("Rack").in(since(1)).ignorable(),
    };
    return list;
}

std::span<const Field> MetadataResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::error_code>("ErrorCode"),
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::leader_id>("LeaderId"),
        field<&Partition::leader_epoch>("LeaderEpoch").in(since(7)).ignorable(),
        field<&Partition::replica_nodes>("ReplicaNodes"),
        field<&Partition::isr_nodes>("IsrNodes"),
        field<&Partition::offline_replicas>("OfflineReplicas").in(since(5)).ignorable(),
    };
    return list;
}

std::span<const Field> MetadataResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::error_code>("ErrorCode"),
        field<&Topic::name>("Name").null_in(since(12)),
        field<&Topic::topic_id>("TopicId").in(since(10)).ignorable(),
        field<&Topic::is_internal>("IsInternal").in(since(1)).ignorable(),
        field<&Topic::partitions>("Partitions"),
        field<&Topic::topic_authorized_operations>("TopicAuthorizedOperations").in(since(8)),
    };
    return list;
}

std::span<const Field> MetadataResponse::fields() {
    static constexpr Field list[] = {
        field<&MetadataResponse::throttle_time_ms>("ThrottleTimeMs").in(since(3)).ignorable(),
        field<&MetadataResponse::brokers>("Brokers"),
        field<&MetadataResponse::cluster_id>("ClusterId").in(since(2)).ignorable(),
        field<&MetadataResponse::controller_id>("ControllerId").in(since(1)).ignorable(),
        field<&MetadataResponse::topics>("Topics"),
        field<&MetadataResponse::cluster_authorized_operations>("ClusterAuthorizedOperations")
            .in(between(8, 10)),
        field<&MetadataResponse::error_code>("ErrorCode").in(since(13)).ignorable(),
    };
    return list;
}

constinit const MessageTraits MetadataResponse::traits{
    .name = "MetadataResponse",
    .key = ApiKey::metadata,
    .versions = {0, 13},
    .flexible = since(9),
    .fields = &MetadataResponse::fields,
};

}  // namespace leat::wire
