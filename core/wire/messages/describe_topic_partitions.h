// DescribeTopicPartitions (key 75): partitions of topics, in pages (KIP-966).
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

struct DescribeTopicPartitionsRequest {
    struct Topic {
        std::string name;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    // Where to begin; null is the start.
    struct Cursor {
        std::string topic_name;
        std::int32_t partition_index = 0;

        static std::span<const Field> fields();
        bool operator==(const Cursor&) const = default;
    };

    std::vector<Topic> topics;
    std::int32_t response_partition_limit = 2000;
    std::optional<Cursor> cursor;  // Where to begin; null is the start.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeTopicPartitionsRequest&) const = default;
};

struct DescribeTopicPartitionsResponse {
    struct Partition {
        ErrorCode error_code = ErrorCode::none;
        std::int32_t partition_index = 0;
        std::int32_t leader_id = 0;
        std::int32_t leader_epoch = -1;
        std::vector<std::int32_t> replica_nodes;
        std::vector<std::int32_t> isr_nodes;
        std::optional<std::vector<std::int32_t>> eligible_leader_replicas;
        std::optional<std::vector<std::int32_t>> last_known_elr;
        std::vector<std::int32_t> offline_replicas;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> name;
        sdk::Uuid topic_id;
        bool is_internal = false;
        std::vector<Partition> partitions;
        std::int32_t topic_authorized_operations = INT32_MIN;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    struct Cursor {
        std::string topic_name;
        std::int32_t partition_index = 0;

        static std::span<const Field> fields();
        bool operator==(const Cursor&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Topic> topics;
    std::optional<Cursor> next_cursor;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeTopicPartitionsResponse&) const = default;
};

}  // namespace leat::wire
