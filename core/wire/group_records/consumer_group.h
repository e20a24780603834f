// The records of a group of the protocol of KIP-848, whose parts change one by one: its epoch
// (type 3), its topics (4, written until Kafka 4.0), its members (5), the target assignment (6 the
// epoch, 7 by member), what each member has (8), and what its regular expressions stand for (16).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/fields.h"
#include "leat/sdk/uuid.h"

namespace leat::wire {

struct ConsumerGroupMetadataKey {
    std::string group_id;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupMetadataKey&) const = default;
};

struct ConsumerGroupMetadataValue {
    std::int32_t epoch = 0;
    std::int64_t metadata_hash = 0;  // Of all topics subscribed to (KIP-1101).

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupMetadataValue&) const = default;
};

struct ConsumerGroupPartitionMetadataKey {
    std::string group_id;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupPartitionMetadataKey&) const = default;
};

struct ConsumerGroupPartitionMetadataValue {
    struct PartitionMetadata {
        std::int32_t partition = 0;
        std::vector<std::string> racks;

        static std::span<const Field> fields();
        bool operator==(const PartitionMetadata&) const = default;
    };

    struct Topic {
        sdk::Uuid topic_id;
        std::string topic_name;
        std::int32_t num_partitions = 0;
        std::vector<PartitionMetadata> partition_metadata;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::vector<Topic> topics;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupPartitionMetadataValue&) const = default;
};

struct ConsumerGroupMemberMetadataKey {
    std::string group_id;
    std::string member_id;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupMemberMetadataKey&) const = default;
};

struct ConsumerGroupMemberMetadataValue {
    struct ClassicProtocol {
        std::string name;
        Bytes metadata;

        static std::span<const Field> fields();
        bool operator==(const ClassicProtocol&) const = default;
    };

    struct ClassicMemberMetadata {
        std::int32_t session_timeout_ms = 0;
        std::vector<ClassicProtocol> supported_protocols;

        static std::span<const Field> fields();
        bool operator==(const ClassicMemberMetadata&) const = default;
    };

    std::optional<std::string> instance_id;
    std::optional<std::string> rack_id;
    std::string client_id;
    std::string client_host;
    std::vector<std::string> subscribed_topic_names;
    std::optional<std::string> subscribed_topic_regex;  // In the syntax of RE2.
    std::int32_t rebalance_timeout_ms = -1;
    std::optional<std::string> server_assignor;  // Null: the coordinator's choice.
    // Null unless the member speaks the classic protocol.
    std::optional<ClassicMemberMetadata> classic_member_metadata;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupMemberMetadataValue&) const = default;
};

struct ConsumerGroupTargetAssignmentMetadataKey {
    std::string group_id;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupTargetAssignmentMetadataKey&) const = default;
};

struct ConsumerGroupTargetAssignmentMetadataValue {
    std::int32_t assignment_epoch = 0;
    // When the assignor was done, milliseconds of the epoch (KIP-1263).
    std::int64_t assignment_timestamp = 0;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupTargetAssignmentMetadataValue&) const = default;
};

struct ConsumerGroupTargetAssignmentMemberKey {
    std::string group_id;
    std::string member_id;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupTargetAssignmentMemberKey&) const = default;
};

struct ConsumerGroupTargetAssignmentMemberValue {
    struct TopicPartition {
        sdk::Uuid topic_id;
        std::vector<std::int32_t> partitions;

        static std::span<const Field> fields();
        bool operator==(const TopicPartition&) const = default;
    };

    std::vector<TopicPartition> topic_partitions;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupTargetAssignmentMemberValue&) const = default;
};

struct ConsumerGroupCurrentMemberAssignmentKey {
    std::string group_id;
    std::string member_id;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupCurrentMemberAssignmentKey&) const = default;
};

struct ConsumerGroupCurrentMemberAssignmentValue {
    struct TopicPartitions {
        sdk::Uuid topic_id;
        std::vector<std::int32_t> partitions;
        // One for each of the partitions, or null, which Kafka reads as empty: the member's epoch.
        std::optional<std::vector<std::int32_t>> assignment_epochs;

        static std::span<const Field> fields();
        bool operator==(const TopicPartitions&) const = default;
    };

    std::int32_t member_epoch = 0;           // That the member is to send.
    std::int32_t previous_member_epoch = 0;  // For a member that missed the last change.
    std::int8_t state = 0;                   // 0 stable, 1 revoking, 2 waits for others to revoke.
    std::vector<TopicPartitions> assigned_partitions;
    std::vector<TopicPartitions> partitions_pending_revocation;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupCurrentMemberAssignmentValue&) const = default;
};

struct ConsumerGroupRegularExpressionKey {
    std::string group_id;
    std::string regular_expression;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupRegularExpressionKey&) const = default;
};

struct ConsumerGroupRegularExpressionValue {
    std::vector<std::string> topics;
    std::int64_t version = 0;    // Of the metadata image that was searched.
    std::int64_t timestamp = 0;  // Of the search, milliseconds of the epoch.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerGroupRegularExpressionValue&) const = default;
};

}  // namespace leat::wire
