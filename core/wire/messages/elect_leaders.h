// ElectLeaders (key 43): elections that an operator asks for (KIP-183, KIP-460).
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

struct ElectLeadersRequest {
    struct Topic {
        std::string topic;
        std::vector<std::int32_t> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int8_t election_type = 0;  // 0 preferred, 1 unclean.
    std::optional<std::vector<Topic>> topic_partitions;
    std::int32_t timeout_ms = 60000;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ElectLeadersRequest&) const = default;
};

struct ElectLeadersResponse {
    struct Partition {
        std::int32_t partition_id = 0;
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string topic;
        std::vector<Partition> partition_result;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::vector<Topic> replica_election_results;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ElectLeadersResponse&) const = default;
};

}  // namespace leat::wire
