#include "core/app/broker_configs.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace leat::app {
namespace {

using cluster::ConfigType;

// What stands at `path` in the configuration. What came from elsewhere may be a secret, and clients
// get no value of it.
struct BrokerConfig {
    std::string_view name;
    std::string_view path;
    std::string value;
    ConfigType type;
    std::string_view documentation;
};
using BrokerConfigs = std::vector<BrokerConfig>;

cluster::ConfigEntry entry(BrokerConfig from, const config::Source& source) {
    cluster::ConfigEntry made{.name = std::string{from.name},
                              .value = std::move(from.value),
                              .source = cluster::ConfigSource::broker_file,
                              .type = from.type,
                              .read_only = true,
                              .sensitive = source.hides(from.path),
                              .documentation = from.documentation};
    if (made.sensitive) made.value.clear();
    made.synonyms.push_back({made.name, made.value, made.source});
    return made;
}

std::string text(bool value) {
    return value ? "true" : "false";
}
template <std::integral Number>
std::string text(Number value) {
    return std::to_string(value);
}
std::string text(std::chrono::milliseconds value) {
    return std::to_string(value.count());
}
std::string text(const std::vector<std::string>& values) {
    std::string all;
    for (const std::string& each : values) all += (all.empty() ? "" : ",") + each;
    return all;
}
std::string text(config::Size value) {
    return std::to_string(value.bytes);
}

BrokerConfigs of_node(const config::Config& config) {
    const auto& defaults = config.topic_defaults;
    return {
        {"node.id", "node_id", text(config.node.node_id), ConfigType::int32,
         "This broker's number in the cluster."},
        {"broker.id", "node_id", text(config.node.node_id), ConfigType::int32,
         "The same as node.id."},
        {"log.dirs", "data_dir", config.node.data_dir.string(), ConfigType::list,
         "The data folder."},
        {"num.partitions", "topic_defaults.partitions", text(defaults.partitions),
         ConfigType::int32, "Partitions of a topic that is created without a count."},
        {"default.replication.factor", "topic_defaults.replication_factor",
         text(defaults.replication_factor), ConfigType::int32,
         "Replicas of a topic that is created without a factor."},
        {"auto.create.topics.enable", "topic_defaults.auto_create", text(defaults.auto_create),
         ConfigType::boolean, "Whether a client that asks for a missing topic makes it."},
    };
}

BrokerConfigs of_limits(const config::LimitsSection& limits) {
    return {
        {"connections.max.idle.ms", "limits.idle", text(limits.idle), ConfigType::int64,
         "A connection that says nothing for so long is closed."},
        {"max.connections", "limits.connections", text(limits.connections), ConfigType::int32,
         "Connections that may be open at once."},
        {"max.connections.per.ip", "limits.connections_per_address",
         text(limits.connections_per_address), ConfigType::int32,
         "Connections that may be open at once from one address."},
        {"max.incremental.fetch.session.cache.slots", "limits.fetch_sessions",
         text(limits.fetch_sessions), ConfigType::int32,
         "Incremental fetch sessions that are kept."},
        {"socket.request.max.bytes", "limits.largest_frame", text(limits.largest_frame),
         ConfigType::int32, "A longer request closes its connection."},
    };
}

BrokerConfigs of_logs(const config::Config& config) {
    return {
        {"log.retention.check.interval.ms", "retention.check_interval",
         text(config.retention.check_interval), ConfigType::int64,
         "How often the topics' retention is looked at."},
        {"log.cleaner.backoff.ms", "compaction.check_interval",
         text(config.compaction.check_interval), ConfigType::int64,
         "How often the topics are looked at for compaction."},
        {"log.cleaner.dedupe.buffer.size", "compaction.memory", text(config.compaction.memory),
         ConfigType::int64, "Memory for the keys of the logs that are compacted at a time."},
        {"producer.id.expiration.ms", "producers.id_expiration",
         text(config.producers.id_expiration), ConfigType::int32,
         "How long a silent producer is remembered."},
    };
}

BrokerConfigs of_groups(const config::GroupCoordinatorSection& groups,
                        const config::InternalTopicsSection& topics) {
    using std::chrono::ceil;
    using std::chrono::minutes;
    return {
        {"group.initial.rebalance.delay.ms", "group_coordinator.initial_rebalance_delay",
         text(groups.initial_rebalance_delay), ConfigType::int32,
         "How long an empty group waits for more members."},
        {"group.min.session.timeout.ms", "group_coordinator.session_timeout_min",
         text(groups.session_timeout_min), ConfigType::int32,
         "The shortest session timeout of a member."},
        {"group.max.session.timeout.ms", "group_coordinator.session_timeout_max",
         text(groups.session_timeout_max), ConfigType::int32,
         "The longest session timeout of a member."},
        {"group.max.size", "group_coordinator.most_members", text(groups.most_members),
         ConfigType::int32, "Members of one group."},
        {"group.consumer.session.timeout.ms", "group_coordinator.consumer_session_timeout",
         text(groups.consumer_session_timeout), ConfigType::int32,
         "The session timeout of members of KIP-848."},
        {"group.consumer.heartbeat.interval.ms", "group_coordinator.consumer_heartbeat_interval",
         text(groups.consumer_heartbeat_interval), ConfigType::int32,
         "How often they send heartbeats."},
        {"group.consumer.max.size", "group_coordinator.most_consumer_members",
         text(groups.most_consumer_members), ConfigType::int32, "Of them in one group."},
        {"group.consumer.assignors", "group_coordinator.consumer_assignors",
         text(groups.consumer_assignors), ConfigType::list, "Among which they may choose."},
        {"group.consumer.migration.policy", "group_coordinator.consumer_migration",
         groups.consumer_migration, ConfigType::string,
         "Whether a group may change its protocol while it has members."},
        {"offset.metadata.max.bytes", "group_coordinator.most_metadata_bytes",
         text(groups.most_metadata_bytes), ConfigType::int32, "Of the text beside an offset."},
        {"offsets.retention.minutes", "group_coordinator.offsets_retention",
         text(ceil<minutes>(groups.offsets_retention).count()), ConfigType::int32,
         "How long offsets are kept that no group uses any more."},
        {"offsets.retention.check.interval.ms", "group_coordinator.expiry_check_interval",
         text(groups.expiry_check_interval), ConfigType::int64,
         "How often offsets that are no longer kept are looked for."},
        {"offsets.topic.num.partitions", "internal_topics.partitions", text(topics.partitions),
         ConfigType::int32, "Partitions of the topic that groups live in."},
        {"offsets.topic.replication.factor", "internal_topics.replication_factor",
         text(topics.replication_factor), ConfigType::int16, "Replicas of each."},
        {"offsets.topic.segment.bytes", "internal_topics.segment_size", text(topics.segment_size),
         ConfigType::int32, "Bytes after which a segment of it ends."},
    };
}

}  // namespace

std::vector<cluster::ConfigEntry> broker_configs(const config::Config& config) {
    std::vector<cluster::ConfigEntry> entries;
    for (BrokerConfigs part :
         std::array{of_node(config), of_limits(config.limits), of_logs(config),
                    of_groups(config.group_coordinator, config.internal_topics)}) {
        for (BrokerConfig& each : part) entries.push_back(entry(std::move(each), config.source));
    }
    std::ranges::sort(entries, {}, &cluster::ConfigEntry::name);
    return entries;
}

}  // namespace leat::app
