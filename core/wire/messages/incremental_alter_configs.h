// IncrementalAlterConfigs (key 44): sets, deletes, appends to and subtracts from single configs
// (KIP-339).
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

struct IncrementalAlterConfigsRequest {
    struct Config {
        std::string name;
        std::int8_t config_operation = 0;  // 0 set, 1 delete, 2 append, 3 subtract.
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
    bool operator==(const IncrementalAlterConfigsRequest&) const = default;
};

struct IncrementalAlterConfigsResponse {
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
    bool operator==(const IncrementalAlterConfigsResponse&) const = default;
};

}  // namespace leat::wire
