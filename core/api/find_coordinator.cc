#include "core/wire/messages/find_coordinator.h"

#include <algorithm>
#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/groups/built_in.h"

namespace leat::api {
namespace {

using wire::ErrorCode;
using Coordinator = wire::FindCoordinatorResponse::Coordinator;

constexpr wire::Version first_batched = 4;      // KIP-699
constexpr wire::Version first_with_shares = 6;  // KIP-932
constexpr std::int8_t group_key = 0;            // 1 a transactional id, 2 a partition of shares.

Coordinator refuse(std::string key, ErrorCode error, std::string why) {
    return {.key = std::move(key),
            .node_id = -1,
            .port = -1,
            .error_code = error,
            .error_message = std::move(why)};
}

// The leader of the partition that the group's records are in.
Coordinator coordinator_of(const cluster::Image& image, const Caller& caller, std::string key) {
    const cluster::TopicImage* topic = image.topic(broker::group_topic);
    if (topic != nullptr) {
        const auto count = static_cast<std::int32_t>(topic->partitions.size());
        const auto* led = topic->partition(groups::partition_of_group(key, count));
        const auto brokers = reachable_brokers(image, caller);
        const auto leader =
            std::ranges::find(brokers, led->leader.value, &ReachableBroker::node_id);
        if (leader != brokers.end()) {
            return {.key = std::move(key),
                    .node_id = leader->node_id,
                    .host = leader->at.host,
                    .port = leader->at.port};
        }
    }
    return refuse(std::move(key), ErrorCode::coordinator_not_available,
                  "The coordinator is not available.");
}

Coordinator answer_for(const cluster::Image& image, const Caller& caller, std::int8_t key_type,
                       wire::Version version, std::string key) {
    const std::int8_t most = version >= first_with_shares ? 2 : 1;
    if (key_type < 0 || key_type > most) {
        return refuse(std::move(key), ErrorCode::invalid_request,
                      "There is no coordinator for keys of this type.");
    }
    if (key_type == group_key && groups::built_in) {
        return coordinator_of(image, caller, std::move(key));
    }
    return refuse(
        std::move(key), ErrorCode::coordinator_not_available,
        key_type == group_key ? "Groups are not served." : "Transactions are not served.");
}

void answer(Services& services, const Request& request, wire::FindCoordinatorRequest asked,
            Reply reply) {
    const cluster::Image& image = services.metadata.image(request.shard);
    const wire::Version version = request.header.version;
    wire::FindCoordinatorResponse response;
    if (version < first_batched) asked.coordinator_keys = {std::move(asked.key)};
    for (std::string& key : asked.coordinator_keys) {
        response.coordinators.push_back(
            answer_for(image, *request.caller, asked.key_type, version, std::move(key)));
    }
    if (version < first_batched) {
        const Coordinator& only = response.coordinators.front();
        response = {.error_code = only.error_code,
                    .error_message = only.error_message,
                    .node_id = only.node_id,
                    .host = only.host,
                    .port = only.port};
    }
    reply.answer(response);
}

}  // namespace

// The topic that groups live in is made when the first of them is asked for.
void find_coordinator(Services& services, Request request, Reply reply) {
    auto asked =
        wire::decode<wire::FindCoordinatorRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const auto* topic = services.metadata.image(request.shard).topic(broker::group_topic);
    if (asked->key_type != group_key || topic != nullptr || !groups::built_in) {
        return answer(services, request, std::move(*asked), std::move(reply));
    }
    sdk::Shard& home = services.shards.at(request.shard);
    services.metadata.auto_create(
        std::string{broker::group_topic}, home,
        [&services, request = std::move(request), asked = std::move(*asked),
         reply = std::move(reply)](const cluster::CreatedTopic&) mutable {
            answer(services, request, std::move(asked), std::move(reply));
        });
}

}  // namespace leat::api
