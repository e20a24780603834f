#include "core/wire/messages/describe_topic_partitions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/api/services.h"
#include "core/api/session.h"
#include "core/cluster/topic_rules.h"

namespace leat::api {
namespace {

using wire::DescribeTopicPartitionsRequest;
using wire::DescribeTopicPartitionsResponse;
using wire::ErrorCode;

DescribeTopicPartitionsResponse::Partition describe(std::size_t index,
                                                    const cluster::PartitionImage& partition) {
    DescribeTopicPartitionsResponse::Partition described{
        .partition_index = static_cast<std::int32_t>(index),
        .leader_id = partition.leader.value,
        .leader_epoch = partition.leader_epoch.value,
        .replica_nodes = node_ids(partition.replicas),
        .isr_nodes = node_ids(partition.in_sync),
        .eligible_leader_replicas = node_ids(partition.eligible),
        .last_known_elr = std::vector<std::int32_t>{}};
    if (partition.leader == cluster::no_node) {
        described.error_code = ErrorCode::leader_not_available;
    }
    return described;
}

// Where there is a list of topics, the cursor is one of them.
bool is_legal(const DescribeTopicPartitionsRequest& asked) {
    if (!asked.cursor) return true;
    const bool listed =
        asked.topics.empty() ||
        std::ranges::find(asked.topics, asked.cursor->topic_name,
                          &DescribeTopicPartitionsRequest::Topic::name) != asked.topics.end();
    return listed && asked.cursor->partition_index >= 0;
}

DescribeTopicPartitionsResponse refuse(const DescribeTopicPartitionsRequest& asked,
                                       ErrorCode error) {
    DescribeTopicPartitionsResponse response;
    for (const auto& topic : asked.topics) {
        response.topics.push_back({.error_code = error, .name = topic.name});
    }
    return response;
}

// In order of name, from the cursor on (KIP-966).
std::vector<std::string> names_of(const DescribeTopicPartitionsRequest& asked,
                                  const cluster::Image& image) {
    std::vector<std::string> names;
    for (const auto& topic : asked.topics) names.push_back(topic.name);
    if (asked.topics.empty()) {
        for (const auto& [name, topic] : image.topics()) names.emplace_back(name);
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (asked.cursor)
        std::erase_if(names, [&](const auto& n) { return n < asked.cursor->topic_name; });
    return names;
}

}  // namespace

void describe_topic_partitions(Services& services, Request request, Reply reply) {
    auto asked =
        wire::decode<DescribeTopicPartitionsRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    if (!is_legal(*asked)) return reply.answer(refuse(*asked, ErrorCode::invalid_request));
    const cluster::Image& image = services.metadata.image(request.shard);
    auto left = static_cast<std::size_t>(
        std::clamp(asked->response_partition_limit, 1, services.limits.most_partitions_described));
    DescribeTopicPartitionsResponse response;
    for (const std::string& name : names_of(*asked, image)) {
        const cluster::TopicImage* topic = image.topic(name);
        std::size_t first = 0;
        if (asked->cursor && asked->cursor->topic_name == name) {
            first = static_cast<std::size_t>(asked->cursor->partition_index);
        }
        if (left == 0) {
            response.next_cursor = {.topic_name = name,
                                    .partition_index = static_cast<std::int32_t>(first)};
            break;
        }
        auto& answered = response.topics.emplace_back();
        answered.name = name;
        if (!name.empty()) answered.topic_authorized_operations = all_topic_operations;
        if (topic == nullptr) {
            answered.error_code = cluster::check_topic_name(name)
                                      ? ErrorCode::unknown_topic_or_partition
                                      : ErrorCode::invalid_topic_exception;
            continue;
        }
        answered.topic_id = topic->id;
        answered.is_internal = topic->internal;
        const std::size_t last = std::min(topic->partitions.size(), first + left);
        for (std::size_t index = first; index < last; ++index) {
            answered.partitions.push_back(describe(index, topic->partitions[index]));
            --left;
        }
        if (last < topic->partitions.size()) {
            response.next_cursor = {.topic_name = name,
                                    .partition_index = static_cast<std::int32_t>(last)};
            break;
        }
    }
    reply.answer(response);
}

}  // namespace leat::api
