// ListOffsets (key 2): the offset for a timestamp, or of an end of the log. Version 0, which Kafka
// gave up with 4.0, asks for a list of offsets at which a segment begins; Burrow still does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct ListOffsetsRequest {
    struct Partition {
        std::int32_t partition_index = 0;
        std::int32_t current_leader_epoch = -1;
        // -1 latest, -2 earliest, -3 that of the largest timestamp (KIP-734).
        std::int64_t timestamp = 0;
        std::int32_t max_num_offsets = 1;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string name;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t replica_id = 0;
    std::int8_t isolation_level = 0;
    std::vector<Topic> topics;
    std::int32_t timeout_ms = 0;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ListOffsetsRequest&) const = default;
};

struct ListOffsetsResponse {
    struct Partition {
        std::int32_t partition_index = 0;
        ErrorCode error_code = ErrorCode::none;
        std::vector<std::int64_t> old_style_offsets;  // The newest first.
        std::int64_t timestamp = -1;
        std::int64_t offset = -1;  // -1 when no record is that young.
        std::int32_t leader_epoch = -1;

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
    bool operator==(const ListOffsetsResponse&) const = default;
};

}  // namespace leat::wire
