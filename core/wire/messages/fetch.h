// Fetch (key 1): records from partitions, for consumers and for followers. Sessions: KIP-227. Topic
// ids from version 13 (KIP-516). Partitions are served in the order of the request (KIP-74).
#pragma once

#include <cstddef>
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

struct FetchRequest {
    struct ReplicaState {
        std::int32_t replica_id = -1;  // -1 is a consumer.
        std::int64_t replica_epoch = -1;

        static std::span<const Field> fields();
        bool operator==(const ReplicaState&) const = default;
    };

    struct Partition {
        std::int32_t partition = 0;
        std::int32_t current_leader_epoch = -1;
        std::int64_t fetch_offset = 0;
        std::int32_t last_fetched_epoch = -1;
        std::int64_t log_start_offset = -1;
        std::int32_t partition_max_bytes = 0;
        sdk::Uuid replica_directory_id;
        std::int64_t high_watermark = INT64_MAX;  // What the follower knows; KIP-1166.

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string topic;
        sdk::Uuid topic_id;
        std::vector<Partition> partitions;

        static std::span<const Field> fields();
        bool operator==(const Topic&) const = default;
    };

    struct ForgottenTopic {
        std::string topic;
        sdk::Uuid topic_id;
        std::vector<std::int32_t> partitions;

        static std::span<const Field> fields();
        bool operator==(const ForgottenTopic&) const = default;
    };

    std::optional<std::string> cluster_id;
    std::int32_t replica_id = -1;  // -1 is a consumer.
    ReplicaState replica_state;
    std::int32_t max_wait_ms = 0;  // How long to wait for MinBytes.
    std::int32_t min_bytes = 0;
    std::int32_t max_bytes = INT32_MAX;
    std::int8_t isolation_level = 0;  // 0: all up to the high watermark, 1: committed only.
    std::int32_t session_id = 0;
    std::int32_t session_epoch = -1;
    std::vector<Topic> topics;
    std::vector<ForgottenTopic> forgotten_topics_data;
    std::string rack_id;

    static const MessageTraits traits;
    static Status decode_fast(std::span<const std::byte> frame, Version version,
                              FetchRequest& to);
    static std::span<const Field> fields();
    bool operator==(const FetchRequest&) const = default;
};

struct FetchResponse {
    struct EpochEndOffset {
        std::int32_t epoch = -1;
        std::int64_t end_offset = -1;

        static std::span<const Field> fields();
        bool operator==(const EpochEndOffset&) const = default;
    };

    struct LeaderIdAndEpoch {
        std::int32_t leader_id = -1;
        std::int32_t leader_epoch = -1;

        static std::span<const Field> fields();
        bool operator==(const LeaderIdAndEpoch&) const = default;
    };

    struct SnapshotId {
        std::int64_t end_offset = -1;
        std::int32_t epoch = -1;

        static std::span<const Field> fields();
        bool operator==(const SnapshotId&) const = default;
    };

    struct AbortedTransaction {
        std::int64_t producer_id = 0;
        std::int64_t first_offset = 0;

        static std::span<const Field> fields();
        bool operator==(const AbortedTransaction&) const = default;
    };

    struct Partition {
        std::int32_t partition_index = 0;
        ErrorCode error_code = ErrorCode::none;
        std::int64_t high_watermark = 0;
        std::int64_t last_stable_offset = -1;
        std::int64_t log_start_offset = -1;
        EpochEndOffset diverging_epoch;  // Set when the follower has to truncate to it (KIP-595).
        LeaderIdAndEpoch current_leader;
        SnapshotId snapshot_id;
        std::optional<std::vector<AbortedTransaction>> aborted_transactions;
        std::int32_t preferred_read_replica = -1;
        std::optional<RecordsView> records;
        // Of records that are sent from where they lie, not through the encoder; see fetch_frame.h.
        // With it, `records` is ignored.
        std::size_t external_bytes = 0;

        static std::span<const Field> fields();
        bool operator==(const Partition&) const = default;
    };

    struct Topic {
        std::string topic;
        sdk::Uuid topic_id;
        std::vector<Partition> partitions;

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

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::int32_t session_id = 0;
    std::vector<Topic> responses;
    std::vector<NodeEndpoint> node_endpoints;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const FetchResponse&) const = default;
};

}  // namespace leat::wire
