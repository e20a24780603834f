#include "core/wire/messages/create_topics.h"

#include <utility>

#include "core/api/handlers.h"
#include "core/api/services.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

using wire::CreateTopicsRequest;
using wire::CreateTopicsResponse;
using wire::ErrorCode;

cluster::CreateTopics to_cluster(CreateTopicsRequest asked) {
    cluster::CreateTopics create{.validate_only = asked.validate_only,
                                 .timeout_ms = asked.timeout_ms};
    for (auto& topic : asked.topics) {
        auto& made = create.topics.emplace_back();
        made.name = std::move(topic.name);
        made.partitions = topic.num_partitions;
        made.replication_factor = topic.replication_factor;
        for (auto& assignment : topic.assignments) {
            auto& [index, replicas] = made.assignments.emplace_back();
            index = assignment.partition_index;
            for (const std::int32_t id : assignment.broker_ids) replicas.push_back({id});
        }
        for (auto& config : topic.configs) {
            made.configs.emplace_back(std::move(config.name), std::move(config.value));
        }
    }
    return create;
}

CreateTopicsResponse::Topic to_wire(const Services& services, std::size_t shard,
                                    cluster::CreatedTopic created) {
    CreateTopicsResponse::Topic answered{.name = std::move(created.name),
                                         .error_code = created.error};
    if (!created.message.empty()) answered.error_message = std::move(created.message);
    answered.configs.emplace();
    if (!created.topic) return answered;
    const cluster::TopicImage& topic = *created.topic;
    answered.topic_id = topic.id;
    answered.num_partitions = static_cast<std::int32_t>(topic.partitions.size());
    answered.replication_factor = static_cast<std::int16_t>(
        topic.partitions.empty() ? 0 : topic.partitions.front().replicas.size());
    const auto configs = cluster::describe_topic_config(
        topic.overrides, services.topic_defaults, services.metadata.image(shard).broker_configs(),
        {topic.storage, topic.replication});
    for (const cluster::ConfigEntry& entry : configs) {
        answered.configs->push_back({.name = entry.name,
                                     .value = entry.value,
                                     .read_only = entry.read_only,
                                     .config_source = static_cast<std::int8_t>(entry.source),
                                     .is_sensitive = entry.sensitive});
    }
    return answered;
}

}  // namespace

void create_topics(Services& services, Request request, Reply reply) {
    auto decoded = wire::decode<CreateTopicsRequest>(request.header.body, request.header.version);
    if (!decoded) return reply.malformed(decoded.error());
    services.metadata.create_topics(
        to_cluster(std::move(*decoded)), services.shards.at(request.shard),
        [&services, shard = request.shard,
         reply = std::move(reply)](std::vector<cluster::CreatedTopic> all) mutable {
            CreateTopicsResponse response;
            for (auto& created : all) {
                response.topics.push_back(to_wire(services, shard, std::move(created)));
            }
            reply.answer(response);
        });
}

}  // namespace leat::api
