// Metadata (key 3): the brokers, and the leader and replicas of partitions.
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

struct MetadataRequest {
    struct Topic {
        sdk::Uuid topic_id;
        std::optional<std::string> name;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::optional<std::vector<Topic>> topics;  // Null is all; in version 0 empty is all.
    bool allow_auto_topic_creation = true;
    bool include_cluster_authorized_operations = false;
    bool include_topic_authorized_operations = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const MetadataRequest&) const = default;
};

struct MetadataResponse {
    struct Broker {
        std::int32_t node_id = 0;
        std::string host;
        std::int32_t port = 0;
        std::optional<std::string> rack;

        static std::span<const Field> fields();
        bool operator==(const Broker&) const = default;
    };

    struct Partition {
        ErrorCode error_code = ErrorCode::none;
        std::int32_t partition_index = 0;
        std::int32_t leader_id = 0;
        std::int32_t leader_epoch = -1;
        std::vector<std::int32_t> replica_nodes;
        std::vector<std::int32_t> isr_nodes;
        std::vector<std::int32_t> offline_replicas;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> name;  // Null only for an unknown topic id.
        sdk::Uuid topic_id;
        bool is_internal = false;
        std::vector<Partition> partitions;
        std::int32_t topic_authorized_operations = INT32_MIN;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Broker> brokers;
    std::optional<std::string> cluster_id;
    std::int32_t controller_id = -1;
    std::vector<Topic> topics;
    std::int32_t cluster_authorized_operations = INT32_MIN;
    ErrorCode error_code = ErrorCode::none;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const MetadataResponse&) const = default;
};

}  // namespace leat::wire
