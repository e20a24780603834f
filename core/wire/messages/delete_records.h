// DeleteRecords (key 21): partitions begin at a later offset from now on (KIP-107).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct DeleteRecordsRequest {
    struct Partition {
        std::int32_t partition_index = 0;
        std::int64_t offset = 0;  // What lies below goes; -1: all below the high watermark.

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string name;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::vector<Topic> topics;
    std::int32_t timeout_ms = 0;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DeleteRecordsRequest&) const = default;
};

struct DeleteRecordsResponse {
    struct Partition {
        std::int32_t partition_index = 0;
        std::int64_t low_watermark = 0;  // Where all replicas begin; -1 with an error.
        ErrorCode error_code = ErrorCode::none;

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
    bool operator==(const DeleteRecordsResponse&) const = default;
};

}  // namespace leat::wire
