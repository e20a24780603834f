#include "core/wire/messages/delete_topics.h"

#include <utility>

#include "core/api/handlers.h"
#include "core/api/services.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

using wire::DeleteTopicsRequest;
using wire::DeleteTopicsResponse;

std::vector<cluster::TopicToDelete> to_cluster(DeleteTopicsRequest asked) {
    std::vector<cluster::TopicToDelete> topics;
    for (auto& name : asked.topic_names) topics.push_back({.name = std::move(name)});
    for (auto& topic : asked.topics) {
        topics.push_back({.name = std::move(topic.name), .id = topic.topic_id});
    }
    return topics;
}

}  // namespace

void delete_topics(Services& services, Request request, Reply reply) {
    auto decoded = wire::decode<DeleteTopicsRequest>(request.header.body, request.header.version);
    if (!decoded) return reply.malformed(decoded.error());
    const std::int32_t timeout_ms = decoded->timeout_ms;
    services.metadata.delete_topics(
        to_cluster(std::move(*decoded)), timeout_ms, services.shards.at(request.shard),
        [reply = std::move(reply)](std::vector<cluster::DeletedTopic> all) mutable {
            DeleteTopicsResponse response;
            for (auto& deleted : all) {
                auto& answered = response.responses.emplace_back();
                answered.name = std::move(deleted.name);
                answered.topic_id = deleted.id;
                answered.error_code = deleted.error;
                if (!deleted.message.empty()) answered.error_message = std::move(deleted.message);
            }
            reply.answer(response);
        });
}

}  // namespace leat::api
