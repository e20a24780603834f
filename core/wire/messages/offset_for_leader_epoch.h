// OffsetForLeaderEpoch (key 23): where a leader epoch ends, so that a client or follower finds
// where it left the leader's log (KIP-101, KIP-320).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct OffsetForLeaderEpochRequest {
    struct Partition {
        std::int32_t partition = 0;
        std::int32_t current_leader_epoch = -1;
        std::int32_t leader_epoch = 0;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string topic;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t replica_id = -2;  // -1 is a consumer, -2 not said.
    std::vector<Topic> topics;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const OffsetForLeaderEpochRequest&) const = default;
};

struct OffsetForLeaderEpochResponse {
    struct Partition {
        ErrorCode error_code = ErrorCode::none;
        std::int32_t partition = 0;
        std::int32_t leader_epoch = -1;
        std::int64_t end_offset = -1;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string topic;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Topic> topics;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const OffsetForLeaderEpochResponse&) const = default;
};

}  // namespace leat::wire
