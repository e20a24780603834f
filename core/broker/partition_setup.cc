#include "core/broker/partition_setup.h"

#include <algorithm>

namespace leat::broker {
namespace {

using wire::ErrorCode;

log::BatchRules rules_of(const cluster::TopicConfig& config) {
    return {
        .max_message_bytes = static_cast<std::size_t>(config.max_message_bytes),
        .timestamp_type = config.timestamp_type == cluster::TimestampType::log_append_time
                              ? log::TimestampType::log_append_time
                              : log::TimestampType::create_time,
        .timestamp_before_max_ms = config.timestamp_before_max_ms,
        .timestamp_after_max_ms = config.timestamp_after_max_ms,
        .compacted = config.cleanup_compact,
        .validation = config.validate_records ? log::Validation::full : log::Validation::header};
}

FlushPromise flush_of(const cluster::TopicConfig& config) {
    FlushPromise promise{.messages = config.flush_messages};
    if (config.flush_messages == 1 || config.flush_ms == 0) {
        promise.kind = FlushPromise::Kind::each;
    } else if (config.flush_ms != INT64_MAX) {
        promise.kind = FlushPromise::Kind::interval;
        promise.interval = std::chrono::milliseconds{config.flush_ms};
    }
    return promise;
}

}  // namespace

log::RetentionLimits retention_of(const cluster::TopicConfig& config) {
    return {.deletes = config.cleanup_delete,
            .ms = config.retention_ms,
            .bytes = config.retention_bytes};
}

log::CompactionRules compaction_of(const cluster::TopicConfig& config) {
    return {.compacts = config.cleanup_compact,
            .min_dirty_ratio = config.min_cleanable_dirty_ratio,
            .delete_retention_ms = config.delete_retention_ms,
            .min_lag_ms = config.min_compaction_lag_ms,
            .max_lag_ms = config.max_compaction_lag_ms,
            .segment_bytes = static_cast<std::uint64_t>(config.segment_bytes)};
}

std::variant<PartitionSetup, ErrorCode> partition_setup(const cluster::Image& image,
                                                        const PartitionKey& key, sdk::NodeId self,
                                                        const PluginInstances& instances,
                                                        const log::ProducerLimits& producers) {
    const cluster::TopicImage* topic = image.topic(key.topic_id);
    if (topic == nullptr) return ErrorCode::unknown_topic_or_partition;
    const cluster::PartitionImage* partition = topic->partition(key.index);
    if (partition == nullptr) return ErrorCode::unknown_topic_or_partition;
    if (partition->leader != self) return ErrorCode::not_leader_or_follower;
    const auto engine = instances.storage.find(topic->storage);
    const auto policy = instances.replication.find(topic->replication);
    if (engine == instances.storage.end() || policy == instances.replication.end()) {
        return ErrorCode::kafka_storage_error;
    }
    const cluster::TopicConfig& config = topic->config;
    // As Kafka rolls (LogConfig.maxSegmentMs), so that what is overdue can be compacted.
    std::int64_t segment_ms = config.segment_ms.count();
    if (config.cleanup_compact) segment_ms = std::min(segment_ms, config.max_compaction_lag_ms);
    return PartitionSetup{
        .id = {topic->id, topic->name, key.index},
        .self = self,
        .state = partition->state(),
        .engine_name = topic->storage,
        .engine = engine->second,
        .policy_name = topic->replication,
        .policy = policy->second,
        .storage = {.segment_bytes = static_cast<std::uint64_t>(config.segment_bytes),
                    .index_interval_bytes =
                        static_cast<std::uint32_t>(config.index_interval_bytes)},
        .log = {.segment_bytes = static_cast<std::uint64_t>(config.segment_bytes),
                .segment_ms = segment_ms,
                .producers = producers},
        .rules = rules_of(config),
        .flush = flush_of(config),
        .retention = retention_of(config),
        .compaction = compaction_of(config),
        .min_in_sync = config.min_in_sync};
}

}  // namespace leat::broker
