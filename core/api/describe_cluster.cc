#include "core/wire/messages/describe_cluster.h"

#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"

namespace leat::api {
namespace {

constexpr std::int8_t brokers = 1;  // KIP-919; 2 asks for the controllers' own endpoints.

}  // namespace

void describe_cluster(Services& services, Request request, Reply reply) {
    auto asked =
        wire::decode<wire::DescribeClusterRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    wire::DescribeClusterResponse response{.endpoint_type = asked->endpoint_type,
                                           .cluster_id = image.facts().cluster_id,
                                           .controller_id = image.facts().controller.value};
    if (asked->include_cluster_authorized_operations) {
        response.cluster_authorized_operations = all_cluster_operations;
    }
    if (asked->endpoint_type != brokers) {
        response = {.error_code = asked->endpoint_type == 2
                                      ? wire::ErrorCode::mismatched_endpoint_type
                                      : wire::ErrorCode::unsupported_endpoint_type,
                    .error_message = "This listener is for clients: only brokers are described.",
                    .endpoint_type = brokers};
        return reply.answer(response);
    }
    for (auto& broker : reachable_brokers(image, *request.caller)) {
        response.brokers.push_back({.broker_id = broker.node_id,
                                    .host = std::move(broker.at.host),
                                    .port = broker.at.port,
                                    .rack = std::move(broker.rack)});
    }
    reply.answer(response);
}

}  // namespace leat::api
