// OffsetFetch (key 9): what groups have committed. Of one group up to version 7, then of several
// (KIP-709); with the member that asks from version 9 and topic ids from version 10 (KIP-848).
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

struct OffsetFetchRequest {
    struct Topic {
        std::string name;
        std::vector<std::int32_t> partition_indexes;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    struct GroupTopic {
        std::string name;
        sdk::Uuid topic_id;
        std::vector<std::int32_t> partition_indexes;

        static std::span<const Field> fields();
        bool operator==(const GroupTopic&) const = default;
    };

    struct Group {
        std::string group_id;
        std::optional<std::string> member_id;
        std::int32_t member_epoch = -1;
        std::optional<std::vector<GroupTopic>> topics;  // Null is all.

        static std::span<const Field> fields();
        bool operator==(const Group&) const = default;
    };

    std::string group_id;
    std::optional<std::vector<Topic>> topics;  // Null is all.
    std::vector<Group> groups;
    bool require_stable = false;  // Not while a transaction is about to change them (KIP-447).

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const OffsetFetchRequest&) const = default;
};

struct OffsetFetchResponse {
    struct Partition {
        std::int32_t partition_index = 0;
        std::int64_t committed_offset = 0;  // -1: none.
        std::int32_t committed_leader_epoch = -1;
        std::optional<std::string> metadata;
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

    struct GroupTopic {
        std::string name;
        sdk::Uuid topic_id;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const GroupTopic&) const = default;
    };

    struct Group {
        std::string group_id;
        std::vector<GroupTopic> topics;
        ErrorCode error_code = ErrorCode::none;

        static std::span<const Field> fields();
        bool operator==(const Group&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Topic> topics;
    ErrorCode error_code = ErrorCode::none;
    std::vector<Group> groups;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const OffsetFetchResponse&) const = default;
};

}  // namespace leat::wire
