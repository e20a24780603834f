// DescribeProducers (key 61): the idempotent producers that partitions remember (KIP-664).
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

struct DescribeProducersRequest {
    struct Topic {
        std::string name;
        std::vector<std::int32_t> partition_indexes;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::vector<Topic> topics;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeProducersRequest&) const = default;
};

struct DescribeProducersResponse {
    struct Producer {
        std::int64_t producer_id = 0;
        std::int32_t producer_epoch = 0;
        std::int32_t last_sequence = -1;
        std::int64_t last_timestamp = -1;
        std::int32_t coordinator_epoch = 0;
        std::int64_t current_txn_start_offset = -1;

        static std::span<const Field> fields();
        bool operator==(const Producer&) const = default;
    };

    struct Partition {
        std::int32_t partition_index = 0;
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;
        std::vector<Producer> active_producers;

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
    std::vector<Topic> topics;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeProducersResponse&) const = default;
};

}  // namespace leat::wire
