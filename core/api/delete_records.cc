#include "core/wire/messages/delete_records.h"

#include <map>
#include <string_view>
#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/api/scatter.h"

namespace leat::api {
namespace {

using wire::DeleteRecordsRequest;
using wire::DeleteRecordsResponse;
using wire::ErrorCode;
using Partition = DeleteRecordsResponse::Partition;

struct Wanted {
    sdk::Offset below;
    std::int32_t current_leader_epoch = -1;  // The request does not say.
};

// In order of name and index; of a partition that is named twice the last counts, as in Kafka.
using ByName = std::map<std::string, std::map<std::int32_t, std::int64_t>>;

ByName by_name(const DeleteRecordsRequest& asked) {
    ByName named;
    for (const auto& topic : asked.topics) {
        for (const auto& partition : topic.partitions) {
            named[topic.name][partition.partition_index] = partition.offset;
        }
    }
    return named;
}

DeleteRecordsResponse to_wire(const ByName& named, std::vector<Partition> answers) {
    DeleteRecordsResponse response;
    std::size_t next = 0;
    for (const auto& [name, partitions] : named) {
        auto& topic = response.topics.emplace_back();
        topic.name = name;
        for (std::size_t i = 0; i < partitions.size(); ++i) {
            topic.partitions.push_back(std::move(answers[next++]));
        }
    }
    return response;
}

}  // namespace

void delete_records(Services& services, Request request, Reply reply) {
    auto asked = wire::decode<DeleteRecordsRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    const bool fenced = services.metadata.standing(request.shard) == broker::Standing::fenced;
    ByName named = by_name(*asked);
    Questions<Wanted, Partition> questions;
    for (const auto& [name, partitions] : named) {
        for (const auto& [index, offset] : partitions) {
            Partition blank{.partition_index = index, .low_watermark = -1};
            const auto* topic = image.topic(name);
            if (topic != nullptr && topic->internal && topic->partition(index) != nullptr) {
                blank.error_code = ErrorCode::invalid_topic_exception;
            } else if (fenced) {
                blank.error_code = ErrorCode::not_leader_or_follower;
            }
            questions.add(image, {.topic = name, .index = index}, {.below = {offset}}, blank);
        }
    }
    const auto ask = [](broker::Partition& partition, const Wanted& wanted, Partition answer,
                        auto give) {
        partition.delete_records(wanted.below, [answer = std::move(answer), give = std::move(give)](
                                                   broker::DeletedRecords deleted) mutable {
            answer.error_code = deleted.error;
            answer.low_watermark = deleted.log_start.value;
            give(std::move(answer));
        });
    };
    std::move(questions).ask(
        services.tables, request.shard, ask,
        [named = std::move(named), reply = std::move(reply)](std::vector<Partition> all) mutable {
            reply.answer(to_wire(named, std::move(all)));
        });
}

}  // namespace leat::api
