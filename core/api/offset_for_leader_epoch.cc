#include "core/wire/messages/offset_for_leader_epoch.h"

#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/api/scatter.h"

namespace leat::api {

using wire::ErrorCode;
using wire::OffsetForLeaderEpochRequest;
using wire::OffsetForLeaderEpochResponse;
using Partition = OffsetForLeaderEpochResponse::Partition;

void offset_for_leader_epoch(Services& services, Request request, Reply reply) {
    auto decoded =
        wire::decode<OffsetForLeaderEpochRequest>(request.header.body, request.header.version);
    if (!decoded) return reply.close("OffsetForLeaderEpoch: " + decoded.error().what);
    const cluster::Image& image = services.metadata.image(request.shard);
    std::vector<Partition> answers;
    std::vector<std::pair<std::size_t, broker::PartitionKey>> items;
    std::vector<OffsetForLeaderEpochRequest::Partition> asked;
    for (const auto& topic : decoded->topics) {
        for (const auto& partition : topic.partitions) {
            const auto found =
                find_partition(image, {.topic = topic.topic, .index = partition.partition});
            auto& answer = answers.emplace_back();
            answer.partition = partition.partition;
            if (const auto* error = std::get_if<ErrorCode>(&found)) {
                answer.error_code = *error;
            } else {
                items.emplace_back(asked.size(), std::get<broker::PartitionRef>(found).key);
            }
            asked.push_back(partition);
        }
    }
    auto ask = [asked = std::make_shared<const decltype(asked)>(std::move(asked))](
                   std::size_t item, broker::Partition* partition, ErrorCode error, auto give) {
        const auto& wanted = (*asked)[item];
        Partition answer{.error_code = error, .partition = wanted.partition};
        if (partition != nullptr) {
            answer.error_code = partition->check_epoch({wanted.current_leader_epoch});
        }
        if (answer.error_code == ErrorCode::none) {
            const auto end = partition->end_offset_for({wanted.leader_epoch});
            answer.leader_epoch = end.epoch.value;
            answer.end_offset = end.end.value;
        }
        give(std::move(answer));
    };
    ask_each<Partition>(services.tables, request.shard, items, std::move(answers), std::move(ask),
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
