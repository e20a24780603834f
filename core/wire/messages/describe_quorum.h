// DescribeQuorum (key 55): the state of the log that keeps the metadata (KIP-595, KIP-836,
// KIP-853).
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

struct DescribeQuorumRequest {
    struct Partition {
        std::int32_t partition_index = 0;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string topic_name;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    std::vector<Topic> topics;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeQuorumRequest&) const = default;
};

struct DescribeQuorumResponse {
    struct ReplicaState {
        std::int32_t replica_id = 0;
        sdk::Uuid replica_directory_id;
        std::int64_t log_end_offset = 0;
        std::int64_t last_fetch_timestamp = -1;
        std::int64_t last_caught_up_timestamp = -1;

        static std::span<const Field> fields();
        bool operator==(const ReplicaState&) const = default;
    };

    struct Partition {
        std::int32_t partition_index = 0;
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;
        std::int32_t leader_id = 0;
        std::int32_t leader_epoch = 0;
        std::int64_t high_watermark = 0;
        std::vector<ReplicaState> current_voters;
        std::vector<ReplicaState> observers;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string topic_name;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    struct Listener {
        std::string name;
        std::string host;
        std::uint16_t port = 0;

        static std::span<const Field> fields();
        bool operator==(const Listener&) const = default;
    };

    struct Node {
        std::int32_t node_id = 0;
        std::vector<Listener> listeners;

        static std::span<const Field> fields();
        bool operator==(const Node&) const = default;
    };

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    std::vector<Topic> topics;
    std::vector<Node> nodes;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeQuorumResponse&) const = default;
};

}  // namespace leat::wire
