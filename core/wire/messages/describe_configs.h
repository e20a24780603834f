// DescribeConfigs (key 32): the configuration of topics, brokers and groups.
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

struct DescribeConfigsRequest {
    struct Resource {
        std::int8_t resource_type = 0;  // 2 topic, 4 broker, 8 broker logger, 32 group.
        std::string resource_name;
        std::optional<std::vector<std::string>> configuration_keys;  // Null or empty is all.

        static std::span<const Field> fields();
        bool operator==(const Resource&) const = default;
    };

    std::vector<Resource> resources;
    bool include_synonyms = false;
    bool include_documentation = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeConfigsRequest&) const = default;
};

struct DescribeConfigsResponse {
    struct Synonym {
        std::string name;
        std::optional<std::string> value;
        std::int8_t source = 0;

        static std::span<const Field> fields();
        bool operator==(const Synonym&) const = default;
    };

    struct Config {
        std::string name;
        std::optional<std::string> value;
        bool read_only = false;
        std::int8_t config_source = -1;
        bool is_sensitive = false;
        std::vector<Synonym> synonyms;
        std::int8_t config_type = 0;
        std::optional<std::string> documentation;

        static std::span<const Field> fields();
        bool operator==(const Config&) const = default;
    };

    struct Result {
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;
        std::int8_t resource_type = 0;
        std::string resource_name;
        std::vector<Config> configs;

        static std::span<const Field> fields();
        bool operator==(const Result&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Result> results;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeConfigsResponse&) const = default;
};

}  // namespace leat::wire
