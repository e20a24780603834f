// ListPartitionReassignments (key 46): replicas that are being moved (KIP-455).
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

struct ListPartitionReassignmentsRequest {
    struct Topic {
        std::string name;
        std::vector<std::int32_t> partition_indexes;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t timeout_ms = 60000;
    std::optional<std::vector<Topic>> topics;  // Null: all.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ListPartitionReassignmentsRequest&) const = default;
};

struct ListPartitionReassignmentsResponse {
    struct Partition {
        std::int32_t partition_index = 0;
        std::vector<std::int32_t> replicas;
        std::vector<std::int32_t> adding_replicas;
        std::vector<std::int32_t> removing_replicas;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string name;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    std::vector<Topic> topics;  // Null: all.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ListPartitionReassignmentsResponse&) const = default;
};

}  // namespace leat::wire
