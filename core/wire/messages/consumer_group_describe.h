// ConsumerGroupDescribe (key 69): the state and the members of groups of the protocol of KIP-848;
// from version 1 with the protocol that each member speaks.
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

struct ConsumerGroupDescribeRequest {
    std::vector<std::string> group_ids;
    bool include_authorized_operations = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupDescribeRequest&) const = default;
};

struct ConsumerGroupDescribeResponse {
    struct TopicPartitions {
        sdk::Uuid topic_id;
        std::string topic_name;
        std::vector<std::int32_t> partitions;

        static std::span<const Field> fields();
        bool operator==(const TopicPartitions&) const = default;
    };

    struct Assignment {
        std::vector<TopicPartitions> topic_partitions;

        static std::span<const Field> fields();
        bool operator==(const Assignment&) const = default;
    };

    struct Member {
        std::string member_id;
        std::optional<std::string> instance_id;
        std::optional<std::string> rack_id;
        std::int32_t member_epoch = 0;
        std::string client_id;
        std::string client_host;
        std::vector<std::string> subscribed_topic_names;
        std::optional<std::string> subscribed_topic_regex;
        Assignment assignment;         // What it has.
        Assignment target_assignment;  // What it is to have.
        std::int8_t member_type = -1;  // 0 classic, 1 consumer, -1 unknown.

        static std::span<const Field> fields();
        bool operator==(const Member&) const = default;
    };

    struct Group {
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;
        std::string group_id;
        std::string group_state;
        std::int32_t group_epoch = 0;
        std::int32_t assignment_epoch = 0;
        std::string assignor_name;
        std::vector<Member> members;
        // A bit for each; INT32_MIN: not asked for.
        std::int32_t authorized_operations = INT32_MIN;

        static std::span<const Field> fields();
        bool operator==(const Group&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Group> groups;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupDescribeResponse&) const = default;
};

}  // namespace leat::wire
