// ConsumerGroupHeartbeat (key 68): the whole conversation between a member and its group in the
// protocol of KIP-848. What is null has not changed since the member's last request. Version 1
// brings subscriptions by regular expression, and member ids that the members choose (KIP-1082).
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

struct ConsumerGroupHeartbeatRequest {
    struct TopicPartitions {
        sdk::Uuid topic_id;
        std::vector<std::int32_t> partitions;

        static std::span<const Field> fields();
        bool operator==(const TopicPartitions&) const = default;
    };

    std::string group_id;
    std::string member_id;
    std::int32_t member_epoch = 0;           // 0 joins, -1 leaves, -2 leaves as a static member.
    std::optional<std::string> instance_id;  // Of a static member (KIP-345).
    std::optional<std::string> rack_id;
    std::int32_t rebalance_timeout_ms = -1;  // -1: not changed.
    std::optional<std::vector<std::string>> subscribed_topic_names;
    std::optional<std::string> subscribed_topic_regex;  // In the syntax of RE2.
    std::optional<std::string> server_assignor;  // Null: not changed, or the coordinator's choice.
    std::optional<std::vector<TopicPartitions>> topic_partitions;  // What the member owns.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupHeartbeatRequest&) const = default;
};

struct ConsumerGroupHeartbeatResponse {
    struct TopicPartitions {
        sdk::Uuid topic_id;
        std::vector<std::int32_t> partitions;

        static std::span<const Field> fields();
        bool operator==(const TopicPartitions&) const = default;
    };

    struct Assignment {
        std::vector<TopicPartitions> topic_partitions;

        static std::span<const Field> fields();
        bool operator==(const Assignment&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    std::optional<std::string> member_id;
    std::int32_t member_epoch = 0;
    std::int32_t heartbeat_interval_ms = 0;
    std::optional<Assignment> assignment;  // Null: not changed.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupHeartbeatResponse&) const = default;
};

}  // namespace leat::wire
