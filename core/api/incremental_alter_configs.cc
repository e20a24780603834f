#include "core/wire/messages/incremental_alter_configs.h"

#include <utility>

#include "core/api/config_alteration.h"
#include "core/api/handlers.h"
#include "core/api/services.h"
#include "core/api/session.h"

namespace leat::api {

void incremental_alter_configs(Services& services, Request request, Reply reply) {
    auto decoded = wire::decode<wire::IncrementalAlterConfigsRequest>(request.header.body,
                                                                      request.header.version);
    if (!decoded) return reply.malformed(decoded.error());
    std::vector<AlteredResource> resources;
    for (auto& asked : decoded->resources) {
        auto& resource = resources.emplace_back();
        resource = {
            .type = asked.resource_type, .name = std::move(asked.resource_name), .replace = false};
        for (auto& config : asked.configs) {
            resource.configs.push_back(
                {std::move(config.name), config.config_operation, std::move(config.value)});
        }
    }
    alter_resources(
        services, request.shard, std::move(resources), decoded->validate_only,
        [reply = std::move(reply)](std::vector<AlteredAnswer> all) mutable {
            reply.answer(response_of<wire::IncrementalAlterConfigsResponse>(std::move(all)));
        });
}

}  // namespace leat::api
