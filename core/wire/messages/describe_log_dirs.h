// DescribeLogDirs (key 35): where logs are kept, how large they are (KIP-113, KIP-827, KIP-1066).
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

struct DescribeLogDirsRequest {
    struct Topic {
        std::string topic;
        std::vector<std::int32_t> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::optional<std::vector<Topic>> topics;  // Null: all.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeLogDirsRequest&) const = default;
};

struct DescribeLogDirsResponse {
    struct Partition {
        std::int32_t partition_index = 0;
        std::int64_t partition_size = 0;
        std::int64_t offset_lag = 0;  // Of a replica behind the high watermark.
        bool is_future_key = false;   // A log that is being moved to this directory.

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string name;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    struct Result {
        ErrorCode error_code = ErrorCode::none;
        std::string log_dir;
        std::vector<Topic> topics;
        std::int64_t total_bytes = -1;  // Of the file system; -1: not known.
        std::int64_t usable_bytes = -1;
        bool is_cordoned = false;

        static std::span<const Field> fields();
        bool operator==(const Result&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::vector<Result> results;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeLogDirsResponse&) const = default;
};

}  // namespace leat::wire
