#include "core/wire/messages/metadata.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
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
        if (asked.include_cluster_authorized_operations) {
            response.cluster_authorized_operations = all_cluster_operations;
        }
        for (auto& topic : response.topics) {
            if (asked.include_topic_authorized_operations && topic.error_code == ErrorCode::none) {
                topic.topic_authorized_operations = all_topic_operations;
            }
        }
        for (auto& broker : reachable_brokers(image, *request.caller)) {
            response.brokers.push_back({.node_id = broker.node_id,
                                        .host = std::move(broker.at.host),
                                        .port = broker.at.port,
                                        .rack = std::move(broker.rack)});
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

constexpr wire::Version first_with_ids = 12;  // In requests.

// The fields for ids are two versions older than their use: until then a name it is.
bool is_well_named(const MetadataRequest& asked, wire::Version version) {
    const auto has_id = [](const auto& topic) { return !topic.topic_id.is_zero(); };
    const auto has_name = [](const auto& topic) { return topic.name.has_value(); };
    const auto& topics = *asked.topics;
    return version < first_with_ids
               ? std::ranges::all_of(topics, has_name) && std::ranges::none_of(topics, has_id)
               : std::ranges::all_of(topics, has_name) || std::ranges::any_of(topics, has_id);
}

MetadataResponse refuse(const MetadataRequest& asked, ErrorCode error) {
    MetadataResponse response{.error_code = error};
    for (const auto& topic : *asked.topics) {
        response.topics.push_back(
            {.error_code = error, .name = topic.name.value_or(""), .topic_id = topic.topic_id});
    }
    return response;
}

// Each topic once, however often it is named. If any is named by its id, only ids count.
void add_named(const std::shared_ptr<Answering>& all, const cluster::Image& image) {
    std::set<sdk::Uuid> ids{sdk::Uuid{}};
    for (const auto& topic : *all->asked.topics) {
        if (ids.insert(topic.topic_id).second) add_by_id(*all, image, topic.topic_id);
    }
    if (ids.size() > 1) return;
    std::set<std::string_view> names;
    for (const auto& topic : *all->asked.topics) {
        if (names.insert(*topic.name).second) add_by_name(all, image, *topic.name);
    }
}

}  // namespace

void metadata(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto decoded = wire::decode<MetadataRequest>(request.header.body, version);
    if (!decoded) return reply.malformed(decoded.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    // Shared with the topics that are being made.
    auto all = std::make_shared<Answering>(
        Answering{services, std::move(request), std::move(*decoded), std::move(reply)});
    const bool everything = !all->asked.topics || (version == 0 && all->asked.topics->empty());
    if (everything) {
        for (const auto& [name, topic] : image.topics()) all->topics.push_back(describe(*topic));
        return all->done();
    }
    if (!is_well_named(all->asked, version)) {
        return all->reply.answer(refuse(all->asked, ErrorCode::invalid_request));
    }
    add_named(all, image);
    all->done();
}

}  // namespace leat::api
