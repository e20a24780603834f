#include "core/wire/messages/metadata.h"

#include <memory>
#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/cluster/topic_rules.h"

namespace leat::api {
namespace {

using wire::ErrorCode;
using wire::MetadataRequest;
using wire::MetadataResponse;

MetadataResponse::Topic describe(const cluster::TopicImage& topic) {
    MetadataResponse::Topic described{
        .name = topic.name, .topic_id = topic.id, .is_internal = topic.internal};
    described.partitions.reserve(topic.partitions.size());
    for (std::size_t index = 0; index < topic.partitions.size(); ++index) {
        const cluster::PartitionImage& partition = topic.partitions[index];
        auto& line = described.partitions.emplace_back();
        if (partition.leader == cluster::no_node) line.error_code = ErrorCode::leader_not_available;
        line.partition_index = static_cast<std::int32_t>(index);
        line.leader_id = partition.leader.value;
        line.leader_epoch = partition.leader_epoch.value;
        line.replica_nodes = node_ids(partition.replicas);
        line.isr_nodes = node_ids(partition.in_sync);
    }
    return described;
}

// One Metadata request: topics that must be made first are waited for.
struct Answering {
    Services& services;
    Request request;
    MetadataRequest asked;
    Reply reply;
    std::vector<MetadataResponse::Topic> topics{};
    std::size_t missing = 1;  // Auto-creations under way, and one for the walk over the request.

    void done() {
        if (--missing > 0) return;
        const cluster::Image& image = services.metadata.image(request.shard);
        MetadataResponse response{.cluster_id = image.facts().cluster_id,
                                  .controller_id = image.facts().controller.value,
                                  .topics = std::move(topics)};
        for (const auto& [id, broker] : image.brokers()) {
            const sdk::Endpoint endpoint = reachable_at(*broker, *request.caller);
            if (endpoint.host.empty()) continue;  // It has no listener of this name.
            response.brokers.push_back(
                {.node_id = id.value,
                 .host = endpoint.host,
                 .port = endpoint.port,
                 .rack = broker->rack.empty() ? std::nullopt : std::optional{broker->rack}});
        }
        reply.answer(response);
    }
};

void add_by_id(Answering& all, const cluster::Image& image, const sdk::Uuid& id) {
    if (const cluster::TopicImage* topic = image.topic(id)) {
        all.topics.push_back(describe(*topic));
    } else {
        all.topics.push_back({.error_code = ErrorCode::unknown_topic_id, .topic_id = id});
    }
}

void add_by_name(const std::shared_ptr<Answering>& all, const cluster::Image& image,
                 const std::string& name) {
    if (const cluster::TopicImage* topic = image.topic(name)) {
        all->topics.push_back(describe(*topic));
        return;
    }
    if (!cluster::check_topic_name(name)) {
        all->topics.push_back({.error_code = ErrorCode::invalid_topic_exception, .name = name});
        return;
    }
    if (!all->asked.allow_auto_topic_creation || !all->services.metadata.auto_create_allowed()) {
        all->topics.push_back({.error_code = ErrorCode::unknown_topic_or_partition, .name = name});
        return;
    }
    ++all->missing;
    const std::size_t place = all->topics.size();
    all->topics.emplace_back();
    all->services.metadata.auto_create(name, all->services.shards.at(all->request.shard),
                                       [all, name, place](cluster::CreatedTopic created) {
                                           if (created.topic) {
                                               all->topics[place] = describe(*created.topic);
                                           } else {
                                               all->topics[place] = {.error_code = created.error,
                                                                     .name = name};
                                           }
                                           all->done();
                                       });
}

}  // namespace

void metadata(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto decoded = wire::decode<MetadataRequest>(request.header.body, version);
    if (!decoded) return reply.close("Metadata: " + decoded.error().what);
    const cluster::Image& image = services.metadata.image(request.shard);
    // Shared with the topics that are being made.
    auto all = std::make_shared<Answering>(
        Answering{services, std::move(request), std::move(*decoded), std::move(reply)});
    const bool everything = !all->asked.topics || (version == 0 && all->asked.topics->empty());
    if (everything) {
        for (const auto& [name, topic] : image.topics()) all->topics.push_back(describe(*topic));
        return all->done();
    }
    for (const auto& topic : *all->asked.topics) {
        if (topic.name) {
            add_by_name(all, image, *topic.name);
        } else {
            add_by_id(*all, image, topic.topic_id);
        }
    }
    all->done();
}

}  // namespace leat::api
