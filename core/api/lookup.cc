#include "core/api/lookup.h"

#include <utility>

namespace leat::api {

using wire::ErrorCode;

namespace {

sdk::Endpoint reachable_at(const cluster::BrokerImage& broker, const Caller& caller) {
    const cluster::Endpoint* endpoint = broker.endpoint(caller.listener);
    if (endpoint == nullptr) return {};
    if (endpoint->host != "auto") return {endpoint->host, endpoint->port};
    return {caller.local.host, endpoint->port != 0 ? endpoint->port : caller.local.port};
}

}  // namespace

std::variant<broker::PartitionRef, ErrorCode> find_partition(const cluster::Image& image,
                                                             const NamedPartition& named) {
    const cluster::TopicImage* topic =
        named.by_id ? image.topic(named.topic_id) : image.topic(named.topic);
    if (topic == nullptr) {
        return named.by_id ? ErrorCode::unknown_topic_id : ErrorCode::unknown_topic_or_partition;
    }
    if (topic->partition(named.index) == nullptr) return ErrorCode::unknown_topic_or_partition;
    if (topic->internal && !named.may_be_internal) return ErrorCode::invalid_topic_exception;
    return broker::PartitionRef{{topic->id, named.index}};
}

bool is_isolation_level(std::int8_t level) {
    return level == 0 || level == 1;
}

std::vector<ReachableBroker> reachable_brokers(const cluster::Image& image, const Caller& caller) {
    std::vector<ReachableBroker> brokers;
    for (const auto& [id, broker] : image.brokers()) {
        sdk::Endpoint at = reachable_at(*broker, caller);
        if (at.host.empty()) continue;
        brokers.push_back({.node_id = id.value, .at = std::move(at)});
        if (!broker->rack.empty()) brokers.back().rack = broker->rack;
    }
    return brokers;
}

std::vector<std::int32_t> node_ids(const cluster::NodeList& nodes) {
    std::vector<std::int32_t> ids;
    for (const sdk::NodeId node : nodes.view()) ids.push_back(node.value);
    return ids;
}

}  // namespace leat::api
