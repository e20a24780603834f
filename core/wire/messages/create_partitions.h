// CreatePartitions (key 37): more partitions for topics that exist. `count` is the new total.
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

struct CreatePartitionsRequest {
    struct Assignment {
        std::vector<std::int32_t> broker_ids;

        static std::span<const Field> fields();
        bool operator==(const Assignment&) const = default;
    };

    struct Topic {
        std::string name;
        std::int32_t count = 0;
        std::optional<std::vector<Assignment>> assignments;  // Of the new ones.

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::vector<Topic> topics;
    std::int32_t timeout_ms = 0;
    bool validate_only = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const CreatePartitionsRequest&) const = default;
};

struct CreatePartitionsResponse {
    struct Result {
        std::string name;
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;

        static std::span<const Field> fields();
        bool operator==(const Result&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Result> results;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const CreatePartitionsResponse&) const = default;
};

}  // namespace leat::wire
