// CreateTopics (key 19). Partitions and replication factor may be left to the broker as -1
// (KIP-464).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"
#include "leat/sdk/uuid.h"

namespace leat::wire {

struct CreateTopicsRequest {
    struct Assignment {
        std::int32_t partition_index = 0;
        std::vector<std::int32_t> broker_ids;

        static std::span<const Field> fields();
        bool operator==(const Assignment&) const = default;
    };

    struct Config {
        std::string name;
        std::optional<std::string> value;

        static std::span<const Field> fields();
        bool operator==(const Config&) const = default;
    };

    struct Topic {
        std::string name;
        std::int32_t num_partitions = 0;
        std::int16_t replication_factor = 0;
        std::vector<Assignment> assignments;
        std::vector<Config> configs;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::vector<Topic> topics;
    std::int32_t timeout_ms = 60000;
    bool validate_only = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const CreateTopicsRequest&) const = default;
};

struct CreateTopicsResponse {
    struct Config {
        std::string name;
        std::optional<std::string> value;
        bool read_only = false;
        std::int8_t config_source = -1;
        bool is_sensitive = false;

        static std::span<const Field> fields();
        bool operator==(const Config&) const = default;
    };

    struct Topic {
        std::string name;
        sdk::Uuid topic_id;
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;
        ErrorCode topic_config_error_code = ErrorCode::none;
        std::int32_t num_partitions = -1;
        std::int16_t replication_factor = -1;
        std::optional<std::vector<Config>> configs;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Topic> topics;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const CreateTopicsResponse&) const = default;
};

}  // namespace leat::wire
