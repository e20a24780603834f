// DeleteTopics (key 20): by name, or from version 6 on by id.
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

struct DeleteTopicsRequest {
    struct Topic {
        std::optional<std::string> name;
        sdk::Uuid topic_id;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::vector<Topic> topics;
    std::vector<std::string> topic_names;  // Up to version 5; Topics from then on.
    std::int32_t timeout_ms = 0;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DeleteTopicsRequest&) const = default;
};

struct DeleteTopicsResponse {
    struct Topic {
        std::optional<std::string> name;
        sdk::Uuid topic_id;
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Topic> responses;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DeleteTopicsResponse&) const = default;
};

}  // namespace leat::wire
