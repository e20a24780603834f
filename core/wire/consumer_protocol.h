// What consumers of the classic protocol say to each other through the coordinator: subscriptions
// in the metadata of JoinGroup, assignments in SyncGroup, both with their version in front. Only
// where the group's protocol type is "consumer", and even there others' bytes may pass: Kafka
// Streams puts its own things into the user data. Whoever passes bytes on passes on those that
// came.
//
// As lenient as Kafka: later versions only append, so that a version above the highest known is
// read as that one, and bytes behind the last field are ignored. Below version 0, short or
// malformed bytes fail with Errc::corrupt; memory is bound by decode_budget. Nothing points into
// the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/fields.h"
#include "core/wire/version_prefix.h"

namespace leat::wire {

struct ConsumerProtocolSubscription {
    struct TopicPartition {
        std::string topic;
        std::vector<std::int32_t> partitions;

        static std::span<const Field> fields();
        bool operator==(const TopicPartition&) const = default;
    };

    std::vector<std::string> topics;
    std::optional<Bytes> user_data;                // Of the assignor.
    std::vector<TopicPartition> owned_partitions;  // From version 1 (KIP-429).
    // In which they were owned, from version 2; -1 unknown (KIP-792).
    std::int32_t generation_id = -1;
    std::optional<std::string> rack_id;  // From version 3 (KIP-881).

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerProtocolSubscription&) const = default;
};

struct ConsumerProtocolAssignment {
    struct TopicPartition {
        std::string topic;
        std::vector<std::int32_t> partitions;

        static std::span<const Field> fields();
        bool operator==(const TopicPartition&) const = default;
    };

    std::vector<TopicPartition> assigned_partitions;
    std::optional<Bytes> user_data;  // Of the assignor.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ConsumerProtocolAssignment&) const = default;
};

// The version is the one that the bytes say, be it known or not: an answer to who wrote them is
// written in it, or in the highest known.
Result<Versioned<ConsumerProtocolSubscription>> decode_subscription(
    std::span<const std::byte> metadata);
Result<Versioned<ConsumerProtocolAssignment>> decode_assignment(
    std::span<const std::byte> assignment);

// A version above the highest known writes that one. Fails when a topic's name is longer than Kafka
// reads (INT16_MAX bytes).
Result<Bytes> encode_subscription(const ConsumerProtocolSubscription& subscription,
                                  Version version);
Result<Bytes> encode_assignment(const ConsumerProtocolAssignment& assignment, Version version);

}  // namespace leat::wire
