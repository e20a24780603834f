#include "core/broker/produce.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/wire/messages/produce.h"
#include "core/wire/produce_response_writer.h"

namespace leat::api {
namespace {

using wire::ErrorCode;
using wire::ProduceRequest;
using wire::ProduceResponse;

constexpr wire::Version first_with_zstd = 7;
constexpr wire::Version first_with_leaders = 10;  // KIP-951
constexpr wire::Version first_with_topic_ids = 13;
constexpr std::string_view admin_client = "__admin_client";  // May write to internal topics.

// Kafka's answer to a request as a whole is that answer for each partition.
ProduceResponse refuse(const ProduceRequest& request, ErrorCode error) {
    ProduceResponse response;
    for (const auto& topic : request.topic_data) {
        auto& answered = response.responses.emplace_back();
        answered.name = topic.name;
        answered.topic_id = topic.topic_id;
        for (const auto& partition : topic.partition_data) {
            answered.partition_responses.push_back(
                {.index = partition.index, .error_code = error, .base_offset = -1});
        }
    }
    return response;
}

broker::ProduceRequest to_broker(Services& services, const Request& request,
                                 const ProduceRequest& asked) {
    const cluster::Image& image = services.metadata.image(request.shard);
    const bool is_admin = request.header.client_id == admin_client;
    broker::ProduceRequest produce{
        .owner = request.frame.owner,
        .acks = static_cast<broker::Acks>(asked.acks),
        .timeout = std::chrono::milliseconds{std::max(asked.timeout_ms, 0)},
        .zstd = request.header.version >= first_with_zstd};
    for (const auto& topic : asked.topic_data) {
        for (const auto& partition : topic.partition_data) {
            auto& item = produce.items.emplace_back();
            item.records = partition.records;
            const auto found =
                find_partition(image, {.by_id = request.header.version >= first_with_topic_ids,
                                       .topic = topic.name,
                                       .topic_id = topic.topic_id,
                                       .index = partition.index,
                                       .may_be_internal = is_admin});
            if (const auto* error = std::get_if<ErrorCode>(&found)) {
                item.error = *error;
            } else {
                item.partition = std::get<broker::PartitionRef>(found);
            }
        }
    }
    return produce;
}

// The shard that owns all of its partitions, if one does.
std::optional<std::size_t> only_owner(const Services& services,
                                      const broker::ProduceRequest& produce) {
    std::optional<std::size_t> only;
    for (const auto& item : produce.items) {
        if (item.error != ErrorCode::none) return std::nullopt;
        const std::size_t owner = services.tables.owner(item.partition.key);
        if (only && *only != owner) return std::nullopt;
        only = owner;
    }
    return only;
}

ProduceResponse::Partition to_wire(std::int32_t index, broker::AppendOutcome outcome,
                                   const cluster::PartitionImage* leader) {
    ProduceResponse::Partition partition{.index = index,
                                         .error_code = outcome.error,
                                         .base_offset = outcome.base.value,
                                         .log_append_time_ms = outcome.append_time.value,
                                         .log_start_offset = outcome.log_start.value};
    for (auto& error : outcome.record_errors) {
        partition.record_errors.push_back({error.batch_index, std::move(error.message)});
    }
    if (!outcome.message.empty()) partition.error_message = std::move(outcome.message);
    if (outcome.error == ErrorCode::not_leader_or_follower && leader != nullptr) {
        partition.current_leader = {leader->leader.value, leader->leader_epoch.value};
    }
    return partition;
}

void answer(const cluster::Image& image, const ProduceRequest& asked,
            std::vector<broker::AppendOutcome> outcomes, Reply reply) {
    constexpr std::size_t usual_bytes = 128;
    wire::Buffer bytes;
    bytes.reserve(usual_bytes);
    const std::size_t begin =
        wire::begin_response(bytes, wire::ApiKey::produce, reply.version(), reply.correlation_id());
    wire::ProduceResponseWriter writer{bytes, reply.version(), asked.topic_data.size()};
    std::size_t next = 0;
    for (const auto& topic : asked.topic_data) {
        const cluster::TopicImage* known = nullptr;
        if (reply.version() >= first_with_topic_ids) {
            known = image.topic(topic.topic_id);
        } else if (reply.version() >= first_with_leaders) {
            known = image.topic(topic.name);
        }
        writer.topic(topic.name, topic.topic_id, topic.partition_data.size());
        for (const auto& partition : topic.partition_data) {
            reply.count(outcomes[next].error, topic.name, partition.index, outcomes[next].message);
            writer.partition(
                to_wire(partition.index, std::move(outcomes[next++]),
                        known != nullptr ? known->partition(partition.index) : nullptr));
        }
    }
    auto status = writer.finish(0);
    if (status) status = wire::finish_frame(bytes, begin);
    if (!status) return reply.close("cannot encode an answer: " + status.error().what);
    reply.answer_bytes(std::move(bytes));
}

}  // namespace

void produce(Services& services, Request request, Reply reply) {
    auto decoded = wire::decode<ProduceRequest>(request.header.body, request.header.version);
    if (!decoded) return reply.malformed(decoded.error());
    ProduceRequest& asked = *decoded;
    const bool answered = asked.acks != 0;
    // A transactional id alone is nothing to refuse: batches that are transactional are.
    if (asked.acks < -1 || asked.acks > 1) {
        return reply.answer(refuse(asked, ErrorCode::invalid_required_acks));
    }
    auto produce = to_broker(services, request, asked);
    if (services.move_connection) reply.went_to(only_owner(services, produce));
    // The request's names are views into the frame, which the continuation therefore keeps.
    broker::produce(
        services.tables, request.shard, std::move(produce),
        [&services, shard = request.shard, asked = std::move(asked), answered,
         frame = std::move(request.frame),
         reply = std::move(reply)](std::vector<broker::AppendOutcome> outcomes) mutable {
            if (!answered) {
                // The only way to tell a client that expects no answer (as Kafka does).
                for (const auto& outcome : outcomes) {
                    reply.count(outcome.error);
                    if (outcome.error != ErrorCode::none)
                        return reply.close("Produce with acks=0 failed: " +
                                           std::string{wire::name_of(outcome.error)});
                }
                return reply.nothing();
            }
            answer(services.metadata.image(shard), asked, std::move(outcomes), std::move(reply));
        });
}

}  // namespace leat::api
