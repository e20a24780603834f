// Produce (key 0): record batches for partitions. From version 13 on topics are named by id
// (KIP-516). Versions 0 to 2 carry records of a format that is not served; they decode so that they
// can be refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"
#include "leat/sdk/uuid.h"

namespace leat::wire {

// Names and records are views into the frame; the records are writable because the broker stamps
// the base offset and the leader epoch in place.
struct ProduceRequest {
    static constexpr bool stamped_in_place = true;

    struct Partition {
        std::int32_t index = 0;
        std::optional<WritableRecords> records;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string_view name;
        sdk::Uuid topic_id;
        std::vector<Partition> partition_data;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::optional<std::string_view> transactional_id;
    std::int16_t acks = 0;  // 0: no answer, 1: the leader has it, -1: all in sync have it.
    std::int32_t timeout_ms = 0;
    std::vector<Topic> topic_data;

    static const MessageTraits traits;
    static Status decode_fast(std::span<std::byte> frame, Version version, ProduceRequest& to);
    static std::span<const Field> fields();
    bool operator==(const ProduceRequest&) const = default;
};

struct ProduceResponse {
    struct RecordError {
        std::int32_t batch_index = 0;
        std::optional<std::string> batch_index_error_message;

        static std::span<const Field> fields();
        bool operator==(const RecordError&) const = default;
    };

    struct LeaderIdAndEpoch {
        std::int32_t leader_id = -1;
        std::int32_t leader_epoch = -1;

        static std::span<const Field> fields();
        bool operator==(const LeaderIdAndEpoch&) const = default;
    };

    struct Partition {
        std::int32_t index = 0;
        ErrorCode error_code = ErrorCode::none;
        std::int64_t base_offset = 0;
        std::int64_t log_append_time_ms = -1;  // -1 unless the topic stamps the time of the append.
        std::int64_t log_start_offset = -1;
        std::vector<RecordError> record_errors;
        std::optional<std::string> error_message;
        LeaderIdAndEpoch current_leader;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string name;
        sdk::Uuid topic_id;
        std::vector<Partition> partition_responses;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    struct NodeEndpoint {
        std::int32_t node_id = 0;
        std::string host;
        std::int32_t port = 0;
        std::optional<std::string> rack;

        static std::span<const Field> fields();
        bool operator==(const NodeEndpoint&) const = default;
    };

    std::vector<Topic> responses;
    std::int32_t throttle_time_ms = 0;
    std::vector<NodeEndpoint> node_endpoints;  // Where the current leaders are (KIP-951).

    static const MessageTraits traits;
    static Status encode_fast(const ProduceResponse& from, Version version, Buffer& out);
    static std::span<const Field> fields();
    bool operator==(const ProduceResponse&) const = default;
};

}  // namespace leat::wire
