#include "core/wire/messages/elect_leaders.h"

#include <string>
#include <utility>

#include "core/api/handlers.h"
#include "core/api/services.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

using wire::ElectLeadersRequest;
using wire::ElectLeadersResponse;
using wire::ErrorCode;

constexpr std::int8_t preferred = 0;
constexpr std::int8_t unclean = 1;

// A partition has one replica: it leads, or nobody can.
ElectLeadersResponse::Partition elect(const cluster::Image& image, const std::string& name,
                                      std::int32_t index, std::int8_t kind) {
    const auto answer = [index](ErrorCode error, std::string message) {
        return ElectLeadersResponse::Partition{index, error, std::move(message)};
    };
    if (kind != preferred && kind != unclean) {
        return answer(ErrorCode::invalid_request,
                      "There is no election of the kind " + std::to_string(kind) + ".");
    }
    const auto* topic = image.topic(name);
    if (topic == nullptr) {
        return answer(ErrorCode::unknown_topic_or_partition, "No such topic as " + name);
    }
    const auto* partition = topic->partition(index);
    if (partition == nullptr) {
        return answer(ErrorCode::unknown_topic_or_partition,
                      "No such partition as " + name + "-" + std::to_string(index));
    }
    const bool led = kind == preferred ? partition->leader == partition->replicas.view().front()
                                       : partition->leader != cluster::no_node;
    if (led) {
        return answer(ErrorCode::election_not_needed,
                      "Leader election not needed for topic partition.");
    }
    return kind == preferred ? answer(ErrorCode::preferred_leader_not_available,
                                      "The preferred leader was not available.")
                             : answer(ErrorCode::eligible_leaders_not_available,
                                      "Eligible topic partition leaders are not available.");
}

}  // namespace

void elect_leaders(Services& services, Request request, Reply reply) {
    auto asked = wire::decode<ElectLeadersRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    ElectLeadersResponse response;
    const std::int8_t kind = asked->election_type;
    const bool known = kind == preferred || kind == unclean;
    if (!known) response.error_code = ErrorCode::invalid_request;
    if (asked->topic_partitions) {
        for (auto& topic : *asked->topic_partitions) {
            auto& results = response.replica_election_results.emplace_back();
            for (const std::int32_t index : topic.partitions) {
                results.partition_result.push_back(elect(image, topic.topic, index, kind));
            }
            results.topic = std::move(topic.topic);
        }
        return reply.answer(response);
    }
    if (!known) return reply.answer(response);
    // All of them: those that are led as they should be are left out.
    for (const auto& [name, topic] : image.topics()) {
        auto& results = response.replica_election_results.emplace_back();
        results.topic = name;
        for (std::size_t i = 0; i < topic->partitions.size(); ++i) {
            auto result = elect(image, results.topic, static_cast<std::int32_t>(i), kind);
            if (result.error_code == ErrorCode::election_not_needed) continue;
            results.partition_result.push_back(std::move(result));
        }
    }
    reply.answer(response);
}

}  // namespace leat::api
