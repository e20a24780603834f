#include "core/wire/messages/describe_cluster.h"

namespace leat::wire {

std::span<const Field> DescribeClusterRequest::fields() {
    static constexpr Field list[] = {
        field<&DescribeClusterRequest::include_cluster_authorized_operations>(
            "IncludeClusterAuthorizedOperations"),
        field<&DescribeClusterRequest::endpoint_type>("EndpointType").in(since(1)),
        field<&DescribeClusterRequest::include_fenced_brokers>("IncludeFencedBrokers").in(since(2)),
    };
    return list;
}

constinit const MessageTraits DescribeClusterRequest::traits{
    .name = "DescribeClusterRequest",
    .key = ApiKey::describe_cluster,
    .versions = {0, 2},
    .flexible = always,
    .fields = &DescribeClusterRequest::fields,
};

std::span<const Field> DescribeClusterResponse::Broker::fields() {
    static constexpr Field list[] = {
        field<&Broker::broker_id>("BrokerId"),
        field<&Broker::host>("Host"),
        field<&Broker::port>("Port"),
        field<&Broker::rack>("Rack"),
        field<&Broker::is_fenced>("IsFenced").in(since(2)),
    };
    return list;
}

std::span<const Field> DescribeClusterResponse::fields() {
    static constexpr Field list[] = {
        field<&DescribeClusterResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&DescribeClusterResponse::error_code>("ErrorCode"),
        field<&DescribeClusterResponse::error_message>("ErrorMessage"),
        field<&DescribeClusterResponse::endpoint_type>("EndpointType").in(since(1)),
        field<&DescribeClusterResponse::cluster_id>("ClusterId"),
        field<&DescribeClusterResponse::controller_id>("ControllerId"),
        field<&DescribeClusterResponse::brokers>("Brokers"),
        field<&DescribeClusterResponse::cluster_authorized_operations>(
            "ClusterAuthorizedOperations"),
    };
    return list;
}

constinit const MessageTraits DescribeClusterResponse::traits{
    .name = "DescribeClusterResponse",
    .key = ApiKey::describe_cluster,
    .versions = {0, 2},
    .flexible = always,
    .fields = &DescribeClusterResponse::fields,
};

}  // namespace leat::wire
