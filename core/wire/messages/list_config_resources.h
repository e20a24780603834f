// ListConfigResources (key 74): what has a configuration of its own (KIP-1142). Version 0 asked for
// client metrics subscriptions only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct ListConfigResourcesRequest {
    std::vector<std::int8_t> resource_types;  // Empty: all that have any.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ListConfigResourcesRequest&) const = default;
};

struct ListConfigResourcesResponse {
    struct Resource {
        std::string resource_name;
        std::int8_t resource_type = 16;

        static std::span<const Field> fields();
        bool operator==(const Resource&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::vector<Resource> config_resources;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ListConfigResourcesResponse&) const = default;
};

}  // namespace leat::wire
