#include "core/wire/messages/describe_producers.h"

#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/api/scatter.h"
#include "core/cluster/topic_rules.h"

namespace leat::api {
namespace {

using wire::DescribeProducersRequest;
using wire::DescribeProducersResponse;
using wire::ErrorCode;
using Partition = DescribeProducersResponse::Partition;

struct Wanted {
    std::int32_t current_leader_epoch = -1;  // The request does not say.
};

std::vector<DescribeProducersResponse::Producer> describe(const log::ProducerState& producers) {
    std::vector<DescribeProducersResponse::Producer> described;
    for (const log::ProducerEntry& entry : producers.entries()) {
        const log::ProducerBatch* newest = entry.newest();
        described.push_back({.producer_id = entry.id,
                             .producer_epoch = entry.epoch,
                             .last_sequence = newest ? newest->last_sequence : -1,
                             .last_timestamp = newest ? newest->timestamp.value : -1,
                             .coordinator_epoch = entry.coordinator_epoch,
                             .current_txn_start_offset = entry.transaction_start.value});
    }
    return described;
}

// What is wrong with the topic itself is said in words too, as Kafka does.
Partition blank_for(const cluster::Image& image, const std::string& topic, std::int32_t index) {
    Partition blank{.partition_index = index};
    if (const auto legal = cluster::check_topic_name(topic); !legal) {
        blank.error_code = ErrorCode::invalid_topic_exception;
        blank.error_message = legal.error().what;
    } else if (image.topic(topic) == nullptr) {
        blank.error_code = ErrorCode::unknown_topic_or_partition;
        blank.error_message = "This topic does not exist.";
    }
    return blank;
}

}  // namespace

void describe_producers(Services& services, Request request, Reply reply) {
    auto asked =
        wire::decode<DescribeProducersRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    Questions<Wanted, Partition> questions;
    for (const auto& topic : asked->topics) {
        for (const std::int32_t index : topic.partition_indexes) {
            questions.add(image, {.topic = topic.name, .index = index}, {},
                          blank_for(image, topic.name, index));
        }
    }
    const auto ask = [](broker::Partition& partition, const Wanted&, Partition answer, auto give) {
        answer.active_producers = describe(partition.producers());
        give(std::move(answer));
    };
    std::move(questions).ask(
        services.tables, request.shard, ask,
        [asked = std::move(*asked), reply = std::move(reply)](std::vector<Partition> all) mutable {
            DescribeProducersResponse response;
            std::size_t next = 0;
            for (const auto& topic : asked.topics) {
                auto& answered = response.topics.emplace_back();
                answered.name = topic.name;
                for (std::size_t i = 0; i < topic.partition_indexes.size(); ++i) {
                    answered.partitions.push_back(std::move(all[next++]));
                }
            }
            reply.answer(response);
        });
}

}  // namespace leat::api
