// OffsetCommit (key 8): how far a group has read. With topic ids from version 10 (KIP-848). Who
// commits for a group without members sends generation -1 and no member id.
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

struct OffsetCommitRequest {
    struct Partition {
        std::int32_t partition_index = 0;
        std::int64_t committed_offset = 0;  // The next one to read.
        std::int32_t committed_leader_epoch = -1;
        std::optional<std::string> committed_metadata;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string name;
        sdk::Uuid topic_id;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::string group_id;
    std::int32_t generation_id_or_member_epoch = -1;  // Of the classic protocol or of KIP-848.
    std::string member_id;
    std::optional<std::string> group_instance_id;  // Of a static member (KIP-345).
    std::int64_t retention_time_ms = -1;           // -1: as the broker is configured.
    std::vector<Topic> topics;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const OffsetCommitRequest&) const = default;
};

struct OffsetCommitResponse {
    struct Partition {
        std::int32_t partition_index = 0;
        ErrorCode error_code = ErrorCode::none;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string name;
        sdk::Uuid topic_id;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Topic> topics;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const OffsetCommitResponse&) const = default;
};

}  // namespace leat::wire
