#include "core/client/cluster.h"

#include <algorithm>

#include "core/client/refusal.h"

namespace leat::client {
namespace {

using sdk::Errc;
using sdk::Error;

constexpr std::chrono::milliseconds longest_pause{1000};

}  // namespace

sdk::Result<Connection*> Cluster::connect(const Address& address) {
    const auto there =
        std::ranges::find_if(open_, [&](const auto& each) { return each->address() == address; });
    if (there != open_.end()) return there->get();
    auto opened = Connection::open(address, timeout_, watch_);
    if (!opened) return opened.error();
    reached_ = true;
    open_.push_back(std::move(*opened));
    return open_.back().get();
}

sdk::Result<Connection*> Cluster::any() {
    if (!open_.empty()) return open_.front().get();
    std::optional<Error> first;
    const auto attempt = [&](const Address& address) -> std::optional<sdk::Result<Connection*>> {
        auto connected = connect(address);
        if (connected || connected.error().code == Errc::closed) return connected;
        if (!first) first = connected.error();
        return std::nullopt;
    };
    for (const Address& address : bootstrap_) {
        if (const auto done = attempt(address)) return *done;
    }
    for (const auto& [id, address] : nodes_) {
        if (std::ranges::find(bootstrap_, address) != bootstrap_.end()) continue;
        if (const auto done = attempt(address)) return *done;
    }
    return first.value_or(Error{Errc::invalid_argument, "no broker is named"});
}

sdk::Result<Connection*> Cluster::node(std::int32_t id) {
    const auto found = nodes_.find(id);
    if (found == nodes_.end()) {
        return Error{Errc::unavailable, "broker " + std::to_string(id) + " is not there now"};
    }
    return connect(found->second);
}

sdk::Result<Connection*> Cluster::controller() {
    if (const auto status = refresh(std::vector<std::string>{}); !status) return status.error();
    return nodes_.contains(controller_) ? node(controller_) : any();
}

void Cluster::drop(const Connection* connection) {
    std::erase_if(open_, [&](const auto& each) { return each.get() == connection; });
}

sdk::Result<wire::MetadataResponse> Cluster::refresh(
    const std::optional<std::vector<std::string>>& topics, bool create) {
    wire::MetadataRequest request{.allow_auto_topic_creation = create};
    if (topics) {
        request.topics.emplace();
        for (const auto& name : *topics) request.topics->push_back({.name = name});
    }
    const auto connection = any();
    if (!connection) return connection.error();
    auto response = call<wire::MetadataResponse>(**connection, request);
    if (!response) return response;
    if (response->error_code != wire::ErrorCode::none) {
        return refused("metadata", response->error_code);
    }
    keep(*response);
    return response;
}

void Cluster::keep(const wire::MetadataResponse& response) {
    nodes_.clear();
    for (const auto& broker : response.brokers) {
        nodes_[broker.node_id] = {broker.host, static_cast<std::uint16_t>(broker.port)};
    }
    controller_ = response.controller_id;
    for (const auto& topic : response.topics) {
        if (!topic.name || topic.error_code != wire::ErrorCode::none) continue;
        auto& partitions = topics_[*topic.name];
        partitions.assign(topic.partitions.size(), {});
        for (const auto& each : topic.partitions) {
            const auto at = static_cast<std::size_t>(each.partition_index);
            if (at >= partitions.size()) continue;  // Kafka numbers them from 0 without a gap.
            partitions[at] = {each.leader_id, each.leader_epoch};
        }
    }
}

sdk::Status Cluster::refresh_topic(const std::string& topic, bool create) {
    const auto response = refresh(std::vector{topic}, create);
    if (!response) return response.error();
    for (const auto& each : response->topics) {
        if (each.name != topic) continue;
        if (each.error_code != wire::ErrorCode::none) {
            return refused("topic " + topic, each.error_code);
        }
        return {};
    }
    return refused("topic " + topic, wire::ErrorCode::unknown_topic_or_partition);
}

const std::vector<Cluster::Partition>& Cluster::partitions(const std::string& topic) const {
    static const std::vector<Partition> none;
    const auto found = topics_.find(topic);
    return found == topics_.end() ? none : found->second;
}

sdk::Result<Connection*> Cluster::leader(const std::string& topic, std::int32_t partition) {
    const auto& all = partitions(topic);
    const auto at = static_cast<std::size_t>(partition);
    if (at >= all.size() || all[at].leader < 0) {
        return refused(topic + "/" + std::to_string(partition),
                       wire::ErrorCode::leader_not_available);
    }
    return node(all[at].leader);
}

sdk::Status Cluster::pause(Patience& patience, const Error& why) {
    if (SteadyClock::now() + patience.next_ >= patience.deadline_) {
        return Error{Errc::timed_out, "given up after " + std::to_string(timeout_.count() / 1000) +
                                          " s: " + why.what};
    }
    const auto duration = patience.next_;
    patience.next_ = std::min(2 * duration, longest_pause);
    return watch_.pause(duration);
}

}  // namespace leat::client
