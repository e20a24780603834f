// AlterConfigs (key 33): replaces all overrides of a resource by those of the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct AlterConfigsRequest {
    struct Config {
        std::string name;
        std::optional<std::string> value;

        static std::span<const Field> fields();
        bool operator==(const Config&) const = default;
    };

    struct Resource {
        std::int8_t resource_type = 0;  // 2 topic, 4 broker, 8 broker logger, 32 group.
        std::string resource_name;
        std::vector<Config> configs;

        static std::span<const Field> fields();
        bool operator==(const Resource&) const = default;
    };

    std::vector<Resource> resources;
    bool validate_only = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const AlterConfigsRequest&) const = default;
};

struct AlterConfigsResponse {
    struct Response {
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;
        std::int8_t resource_type = 0;  // 2 topic, 4 broker, 8 broker logger, 32 group.
        std::string resource_name;

        static std::span<const Field> fields();
        bool operator==(const Response&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Response> responses;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const AlterConfigsResponse&) const = default;
};

}  // namespace leat::wire
