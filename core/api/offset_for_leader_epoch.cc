#include "core/wire/messages/offset_for_leader_epoch.h"

#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/api/scatter.h"

namespace leat::api {

using wire::OffsetForLeaderEpochRequest;
using wire::OffsetForLeaderEpochResponse;
using Wanted = OffsetForLeaderEpochRequest::Partition;
using Partition = OffsetForLeaderEpochResponse::Partition;

void offset_for_leader_epoch(Services& services, Request request, Reply reply) {
    auto decoded =
        wire::decode<OffsetForLeaderEpochRequest>(request.header.body, request.header.version);
    if (!decoded) return reply.malformed(decoded.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    Questions<Wanted, Partition> questions;
    for (const auto& topic : decoded->topics) {
        for (const auto& wanted : topic.partitions) {
            questions.add(image, {.topic = topic.topic, .index = wanted.partition}, wanted,
                          {.partition = wanted.partition});
        }
    }
    const auto ask = [](broker::Partition& partition, const Wanted& wanted, Partition answer,
                        auto give) {
        const auto end = partition.end_offset_for({wanted.leader_epoch});
        answer.leader_epoch = end.epoch.value;
        answer.end_offset = end.end.value;
        give(std::move(answer));
    };
    std::move(questions).ask(services.tables, request.shard, ask,
                             [decoded = std::move(*decoded),
                              reply = std::move(reply)](std::vector<Partition> all) mutable {
                                 OffsetForLeaderEpochResponse response;
                                 std::size_t next = 0;
                                 for (const auto& topic : decoded.topics) {
                                     auto& answered = response.topics.emplace_back();
                                     answered.topic = topic.topic;
                                     for (std::size_t i = 0; i < topic.partitions.size(); ++i) {
                                         answered.partitions.push_back(std::move(all[next++]));
                                     }
                                 }
                                 reply.answer(response);
                             });
}

}  // namespace leat::api
