#include "core/wire/messages/create_partitions.h"

#include <utility>

#include "core/api/handlers.h"
#include "core/api/services.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

using wire::CreatePartitionsRequest;
using wire::CreatePartitionsResponse;

cluster::CreatePartitions to_cluster(CreatePartitionsRequest asked) {
    cluster::CreatePartitions create{.validate_only = asked.validate_only,
                                     .timeout_ms = asked.timeout_ms};
    for (auto& topic : asked.topics) {
        auto& more = create.topics.emplace_back();
        more.topic = std::move(topic.name);
        more.count = topic.count;
        if (!topic.assignments) continue;
        more.assignments.emplace();
        for (const auto& assignment : *topic.assignments) {
            auto& replicas = more.assignments->emplace_back();
            for (const std::int32_t id : assignment.broker_ids) replicas.push_back({id});
        }
    }
    return create;
}

}  // namespace

void create_partitions(Services& services, Request request, Reply reply) {
    auto decoded =
        wire::decode<CreatePartitionsRequest>(request.header.body, request.header.version);
    if (!decoded) return reply.malformed(decoded.error());
    services.metadata.create_partitions(
        to_cluster(std::move(*decoded)), services.shards.at(request.shard),
        [reply = std::move(reply)](std::vector<cluster::ChangedTopic> all) mutable {
            CreatePartitionsResponse response;
            for (auto& changed : all) {
                auto& answered = response.results.emplace_back();
                answered.name = std::move(changed.topic);
                answered.error_code = changed.error;
                if (!changed.message.empty()) answered.error_message = std::move(changed.message);
            }
            reply.answer(response);
        });
}

}  // namespace leat::api
