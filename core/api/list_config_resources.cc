#include "core/wire/messages/list_config_resources.h"

#include <algorithm>
#include <array>

#include "core/api/config_alteration.h"
#include "core/api/handlers.h"
#include "core/api/services.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

// Also those of which there are none here: loggers, client metrics, groups.
constexpr std::array<std::int8_t, 5> resource_types{topic_resource, broker_resource, 8, 16, 32};

}  // namespace

void list_config_resources(Services& services, Request request, Reply reply) {
    auto asked =
        wire::decode<wire::ListConfigResourcesRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    wire::ListConfigResourcesResponse response;
    if (request.header.version == 0) return reply.answer(response);  // Client metrics only.
    const auto& types = asked->resource_types;
    for (const std::int8_t type : types) {
        if (std::ranges::find(resource_types, type) == resource_types.end()) {
            response.error_code = wire::ErrorCode::unsupported_version;
            return reply.answer(response);
        }
    }
    const auto wanted = [&types](std::int8_t type) {
        return types.empty() || std::ranges::find(types, type) != types.end();
    };
    const cluster::Image& image = services.metadata.image(request.shard);
    if (wanted(topic_resource)) {
        for (const auto& [name, topic] : image.topics()) {
            response.config_resources.push_back({std::string{name}, topic_resource});
        }
    }
    if (wanted(broker_resource)) {
        for (const auto& [id, broker] : image.brokers()) {
            response.config_resources.push_back({std::to_string(id.value), broker_resource});
        }
    }
    reply.answer(response);
}

}  // namespace leat::api
