#include "core/wire/messages/fetch.h"

namespace leat::wire {

std::span<const Field> FetchRequest::ReplicaState::fields() {
    static constexpr Field list[] = {
        field<&ReplicaState::replica_id>("ReplicaId").in(since(15)),
        field<&ReplicaState::replica_epoch>("ReplicaEpoch").in(since(15)),
    };
    return list;
}

std::span<const Field> FetchRequest::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition>("Partition"),
        field<&Partition::current_leader_epoch>("CurrentLeaderEpoch").in(since(9)).ignorable(),
        field<&Partition::fetch_offset>("FetchOffset"),
        field<&Partition::last_fetched_epoch>("LastFetchedEpoch").in(since(12)),
        field<&Partition::log_start_offset>("LogStartOffset").in(since(5)).ignorable(),
        field<&Partition::partition_max_bytes>("PartitionMaxBytes"),
        field<&Partition::replica_directory_id>("ReplicaDirectoryId")
            .in(since(17)).tagged(0).ignorable(),
        field<&Partition::high_watermark>("HighWatermark").in(since(18)).tagged(1).ignorable(),
    };
    return list;
}

std::span<const Field> FetchRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic>("Topic").in(until(12)).ignorable(),
        field<&Topic::topic_id>("TopicId").in(since(13)).ignorable(),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> FetchRequest::ForgottenTopic::fields() {
    static constexpr Field list[] = {
        field<&ForgottenTopic::topic>("Topic").in(between(7, 12)).ignorable(),
        field<&ForgottenTopic::topic_id>("TopicId").in(since(13)).ignorable(),
        field<&ForgottenTopic::partitions>("Partitions").in(since(7)),
    };
    return list;
}

std::span<const Field> FetchRequest::fields() {
    static constexpr Field list[] = {
        field<&FetchRequest::cluster_id>("ClusterId").in(since(12)).tagged(0).ignorable(),
        field<&FetchRequest::replica_id>("ReplicaId").in(until(14)),
        field<&FetchRequest::replica_state>("ReplicaState").in(since(15)).tagged(1),
        field<&FetchRequest::max_wait_ms>("MaxWaitMs"),
        field<&FetchRequest::min_bytes>("MinBytes"),
        field<&FetchRequest::max_bytes>("MaxBytes").in(since(3)).ignorable(),
        field<&FetchRequest::isolation_level>("IsolationLevel").in(since(4)).ignorable(),
        field<&FetchRequest::session_id>("SessionId").in(since(7)).ignorable(),
        field<&FetchRequest::session_epoch>("SessionEpoch").in(since(7)).ignorable(),
        field<&FetchRequest::topics>("Topics"),
        field<&FetchRequest::forgotten_topics_data>("ForgottenTopicsData").in(since(7)),
        field<&FetchRequest::rack_id>("RackId").in(since(11)).ignorable(),
    };
    return list;
}

constinit const MessageTraits FetchRequest::traits{
    .name = "FetchRequest",
    .key = ApiKey::fetch,
    .versions = {4, 18},
    .flexible = since(12),
    .fields = &FetchRequest::fields,
};

std::span<const Field> FetchResponse::EpochEndOffset::fields() {
    static constexpr Field list[] = {
        field<&EpochEndOffset::epoch>("Epoch").in(since(12)),
        field<&EpochEndOffset::end_offset>("EndOffset").in(since(12)),
    };
    return list;
}

std::span<const Field> FetchResponse::LeaderIdAndEpoch::fields() {
    static constexpr Field list[] = {
        field<&LeaderIdAndEpoch::leader_id>("LeaderId").in(since(12)),
        field<&LeaderIdAndEpoch::leader_epoch>("LeaderEpoch").in(since(12)),
    };
    return list;
}

std::span<const Field> FetchResponse::SnapshotId::fields() {
    static constexpr Field list[] = {
        field<&SnapshotId::end_offset>("EndOffset"),
        field<&SnapshotId::epoch>("Epoch"),
    };
    return list;
}

std::span<const Field> FetchResponse::AbortedTransaction::fields() {
    static constexpr Field list[] = {
        field<&AbortedTransaction::producer_id>("ProducerId").in(since(4)),
        field<&AbortedTransaction::first_offset>("FirstOffset").in(since(4)),
    };
    return list;
}

std::span<const Field> FetchResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::error_code>("ErrorCode"),
        field<&Partition::high_watermark>("HighWatermark"),
        field<&Partition::last_stable_offset>("LastStableOffset").in(since(4)).ignorable(),
        field<&Partition::log_start_offset>("LogStartOffset").in(since(5)).ignorable(),
        field<&Partition::diverging_epoch>("DivergingEpoch").in(since(12)).tagged(0),
        field<&Partition::current_leader>("CurrentLeader").in(since(12)).tagged(1),
        field<&Partition::snapshot_id>("SnapshotId").in(since(12)).tagged(2),
        field<&Partition::aborted_transactions>("AbortedTransactions").in(since(4)).ignorable(),
        field<&Partition::preferred_read_replica>("PreferredReadReplica").in(since(11)),
        field<&Partition::records>("Records"),
    };
    return list;
}

std::span<const Field> FetchResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic>("Topic").in(until(12)).ignorable(),
        field<&Topic::topic_id>("TopicId").in(since(13)).ignorable(),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> FetchResponse::NodeEndpoint::fields() {
    static constexpr Field list[] = {
        field<&NodeEndpoint::node_id>("NodeId").in(since(16)),
        field<&NodeEndpoint::host>("Host").in(since(16)),
        field<&NodeEndpoint::port>("Port").in(since(16)),
        field<&NodeEndpoint::rack>("Rack").in(since(16)),
    };
    return list;
}

std::span<const Field> FetchResponse::fields() {
    static constexpr Field list[] = {
        field<&FetchResponse::throttle_time_ms>("ThrottleTimeMs").in(since(1)).ignorable(),
        field<&FetchResponse::error_code>("ErrorCode").in(since(7)).ignorable(),
        field<&FetchResponse::session_id>("SessionId").in(since(7)),
        field<&FetchResponse::responses>("Responses"),
        field<&FetchResponse::node_endpoints>("NodeEndpoints").in(since(16)).tagged(0),
    };
    return list;
}

constinit const MessageTraits FetchResponse::traits{
    .name = "FetchResponse",
    .key = ApiKey::fetch,
    .versions = {4, 18},
    .flexible = since(12),
    .fields = &FetchResponse::fields,
};

}  // namespace leat::wire
