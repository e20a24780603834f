#include "core/wire/messages/offset_delete.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {

using wire::ErrorCode;
using wire::OffsetDeleteRequest;
using wire::OffsetDeleteResponse;

void offset_delete(Services& services, Request request, Reply reply) {
    auto asked = wire::decode<OffsetDeleteRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    // Partitions that are not there are answered here: nobody committed for them.
    OffsetDeleteResponse unknown;
    for (auto& topic : asked->topics) {
        const cluster::TopicImage* found = image.topic(topic.name);
        OffsetDeleteResponse::Topic missing;
        missing.name = topic.name;
        std::erase_if(topic.partitions, [&](const auto& partition) {
            if (found != nullptr && found->partition(partition.partition_index)) return false;
            missing.partitions.push_back(
                {partition.partition_index, ErrorCode::unknown_topic_or_partition});
            return true;
        });
        if (!missing.partitions.empty()) unknown.topics.push_back(std::move(missing));
    }
    std::erase_if(asked->topics, [](const auto& topic) { return topic.partitions.empty(); });
    const std::string group = asked->group_id;
    decide_at_coordinator<OffsetDeleteResponse>(
        services, request.shard, group,
        [asked = std::move(*asked)](groups::Coordinator& machine, groups::Now,
                                    groups::Effects& effects) {
            return machine.delete_offsets(asked, effects);
        },
        [unknown = std::move(unknown), reply = std::move(reply)](
            ErrorCode error, OffsetDeleteResponse response) mutable {
            if (error != ErrorCode::none) response.error_code = error;
            if (response.error_code == ErrorCode::none) {
                for (auto& topic : unknown.topics) response.topics.push_back(std::move(topic));
            }
            reply.answer(response);
        });
}

}  // namespace leat::api
