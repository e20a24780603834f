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
    if (!decoded) return reply.close("IncrementalAlterConfigs: " + decoded.error().what);
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
    alter_resources(services, request.shard, std::move(resources), decoded->validate_only,
                    [reply = std::move(reply)](std::vector<AlteredAnswer> all) mutable {
                        wire::IncrementalAlterConfigsResponse response;
                        for (auto& answer : all) {
                            auto& row = response.responses.emplace_back();
                            row.error_code = answer.error;
                            if (!answer.message.empty()) {
                                row.error_message = std::move(answer.message);
                            }
                            row.resource_type = answer.type;
                            row.resource_name = std::move(answer.name);
                        }
                        reply.answer(response);
                    });
}

}  // namespace leat::api
