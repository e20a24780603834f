// DescribeQuorum is about Kafka's metadata log. Here the coordination store has that part: what is
// answered is its image, with the controller for the leader and the only voter.
#include "core/wire/messages/describe_quorum.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"

namespace leat::api {
namespace {

using wire::DescribeQuorumRequest;
using wire::DescribeQuorumResponse;
using wire::ErrorCode;

constexpr std::string_view metadata_log = "__cluster_metadata";
constexpr wire::Version with_nodes = 2;  // KIP-853: directories and nodes.

// The newest change that the image tells of: what in Kafka is the end of the metadata log.
std::int64_t newest_revision(const cluster::Image& image) {
    sdk::Revision newest;
    for (const auto& [id, broker] : image.brokers()) newest = std::max(newest, broker->epoch);
    for (const auto& [name, topic] : image.topics()) newest = std::max(newest, topic->created);
    return static_cast<std::int64_t>(newest.value);
}

DescribeQuorumResponse::Partition quorum(const cluster::Image& image, wire::Version version,
                                         sdk::Timestamp now) {
    const auto& facts = image.facts();
    const std::int64_t end = newest_revision(image);
    DescribeQuorumResponse::Partition partition{.leader_id = facts.controller.value,
                                                .leader_epoch = facts.controller_epoch,
                                                .high_watermark = end};
    for (const auto& [id, broker] : image.brokers()) {
        DescribeQuorumResponse::ReplicaState state{.replica_id = id.value, .log_end_offset = end};
        if (version >= with_nodes) state.replica_directory_id = broker->directory;
        const bool leads = id == facts.controller;
        if (leads) state.last_fetch_timestamp = state.last_caught_up_timestamp = now.value;
        (leads ? partition.current_voters : partition.observers).push_back(std::move(state));
    }
    return partition;
}

// Java's admin client takes no listener whose name is not in capitals.
std::string in_capitals(std::string_view name) {
    std::string made{name};
    for (char& c : made) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return made;
}

// A partition that is not there.
DescribeQuorumResponse::Partition unknown(std::int32_t index) {
    return {.partition_index = index,
            .error_code = ErrorCode::unknown_topic_or_partition,
            .error_message = "This is not the metadata of the cluster."};
}

}  // namespace

void describe_quorum(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto asked = wire::decode<DescribeQuorumRequest>(request.header.body, version);
    if (!asked) return reply.malformed(asked.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    const sdk::Timestamp now = services.shards.at(request.shard).wall_clock();
    DescribeQuorumResponse response;
    // As in Kafka, who asks for more than this one gets nothing.
    const auto& topics = asked->topics;
    const bool described = topics.size() == 1 && topics[0].topic_name == metadata_log &&
                           topics[0].partitions.size() == 1 &&
                           topics[0].partitions[0].partition_index == 0;
    for (auto& topic : asked->topics) {
        auto& answered = response.topics.emplace_back();
        for (const auto& partition : topic.partitions) {
            answered.partitions.push_back(described ? quorum(image, version, now)
                                                    : unknown(partition.partition_index));
        }
        answered.topic_name = std::move(topic.topic_name);
    }
    if (described && version >= with_nodes) {
        for (auto& broker : reachable_brokers(image, *request.caller)) {
            auto& node = response.nodes.emplace_back();
            node.node_id = broker.node_id;
            node.listeners.push_back(
                {in_capitals(request.caller->listener), std::move(broker.at.host), broker.at.port});
        }
    }
    reply.answer(response);
}

}  // namespace leat::api
