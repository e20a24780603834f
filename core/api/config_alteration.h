// What AlterConfigs and IncrementalAlterConfigs have in common: which resources may be altered, and
// the answer for each.
//
// Topics     Their overrides change (cluster/topic_change.h).
// Brokers    What topics default to changes while the broker runs, for it or for all of them
//            (cluster/broker_config.h). All else is in its TOML file and changes with a restart,
//            as the configs that Apache Kafka calls read-only, and is refused.
// The rest   Loggers, client metrics and groups have no configs here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/api/services.h"
#include "core/wire/error_code.h"
#include "leat/sdk/function.h"

namespace leat::api {

// Numbers of resource types in the protocol.
inline constexpr std::int8_t topic_resource = 2;
inline constexpr std::int8_t broker_resource = 4;

struct AlteredConfig {
    std::string name;
    std::int8_t operation = 0;  // As it came: it may be none.
    std::optional<std::string> value;
};

struct AlteredResource {
    std::int8_t type = 0;
    std::string name;
    bool replace = false;
    std::vector<AlteredConfig> configs;
};

struct AlteredAnswer {
    std::int8_t type = 0;
    std::string name;
    wire::ErrorCode error = wire::ErrorCode::none;
    std::string message;
};

// The two APIs' responses have the same fields.
template <class Response>
Response response_of(std::vector<AlteredAnswer> answers) {
    Response response;
    for (auto& answer : answers) {
        auto& row = response.responses.emplace_back();
        row.error_code = answer.error;
        if (!answer.message.empty()) row.error_message = std::move(answer.message);
        row.resource_type = answer.type;
        row.resource_name = std::move(answer.name);
    }
    return response;
}

// [shard] `done` gets an answer for each resource, in their order, on that shard.
void alter_resources(Services& services, std::size_t shard, std::vector<AlteredResource> resources,
                     bool validate_only, sdk::Function<void(std::vector<AlteredAnswer>)> done);

}  // namespace leat::api
