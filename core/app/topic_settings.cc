#include "core/app/topic_settings.h"

#include <algorithm>
#include <variant>

#include "core/cluster/image.h"

namespace leat::app {
namespace {

// As Kafka's clients would write it; nothing for what no config can be.
std::optional<std::string> text_of(const config::Node& node) {
    if (const auto* text = std::get_if<std::string>(&node.value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&node.value)) return std::to_string(*number);
    if (const auto* flag = std::get_if<bool>(&node.value)) return *flag ? "true" : "false";
    if (const auto* number = std::get_if<double>(&node.value)) return std::to_string(*number);
    return std::nullopt;
}

cluster::ConfigMap configs_of(const config::TopicSettings& settings) {
    cluster::ConfigMap configs;
    switch (settings.flush.when) {
        case config::FlushRule::When::none:
            break;
        case config::FlushRule::When::each:
            configs["flush.messages"] = "1";
            break;
        case config::FlushRule::When::interval:
            configs["flush.ms"] = std::to_string(settings.flush.interval.count());
            break;
    }
    if (settings.validation != "header") configs["leat.validation"] = settings.validation;
    for (const config::Entry& entry : settings.config) {
        if (const auto text = text_of(entry.value)) configs[entry.key] = *text;
    }
    return configs;
}

void check(const config::Config& config, const config::TopicSettings& settings,
           std::vector<config::Complaint>& complaints) {
    for (const config::Entry& entry : settings.config) {
        if (std::holds_alternative<config::Unknown>(entry.value.value)) continue;  // Complained of.
        const auto text = text_of(entry.value);
        if (!text) {
            complaints.push_back(config.source.complaint(
                entry.value.place, "`" + entry.key + "` must be a string, a number or a boolean"));
            continue;
        }
        if (cluster::find_topic_config(entry.key) == nullptr) {
            complaints.push_back(config.source.complaint(
                entry.key_place, "`" + entry.key + "` is no topic config of Kafka's or Leat's"));
        } else if (const auto status = cluster::check_topic_config(entry.key, *text); !status) {
            complaints.push_back(config.source.complaint(entry.value.place, status.error().what));
        }
    }
}

// Under Kafka's name, what stands at `path` in the configuration. What came from elsewhere may be a
// secret, and clients get no value of it.
struct BrokerConfig {
    std::string_view name;
    std::string_view path;
    std::string value;
    cluster::ConfigType type;
    std::string_view documentation;
};

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

}  // namespace

broker::TopicTemplate topic_template(const config::Config& config, std::string_view topic) {
    if (cluster::Image::is_internal(topic)) {
        return {.partitions = config.internal_topics.partitions,
                .replication_factor =
                    static_cast<std::int16_t>(config.internal_topics.replication_factor),
                .storage = config.internal_topics.storage,
                .replication = config.internal_topics.replication};
    }
    const config::TopicSettings& settings = config.settings_for(topic);
    broker::TopicTemplate made{
        .partitions = settings.partitions,
        .replication_factor = static_cast<std::int16_t>(settings.replication_factor),
        .storage = settings.storage,
        .replication = settings.replication};
    // A template's settings are kept in the topic's record; the defaults apply by themselves.
    if (&settings != &config.topic_defaults) made.configs = configs_of(settings);
    return made;
}

cluster::ConfigMap topic_defaults(const config::Config& config) {
    auto defaults = configs_of(config.topic_defaults);
    defaults["leat.storage.engine"] = config.topic_defaults.storage;
    defaults["leat.replication.policy"] = config.topic_defaults.replication;
    return defaults;
}

std::vector<config::Complaint> check_topic_configs(const config::Config& config) {
    std::vector<config::Complaint> complaints;
    check(config, config.topic_defaults, complaints);
    for (const auto& each : config.topics) check(config, each.settings, complaints);
    return complaints;
}

std::vector<cluster::ConfigEntry> broker_configs(const config::Config& config) {
    using cluster::ConfigType;
    const auto& defaults = config.topic_defaults;
    const BrokerConfig known[] = {
        {"node.id", "node_id", std::to_string(config.node.node_id), ConfigType::int32,
         "This broker's number in the cluster."},
        {"broker.id", "node_id", std::to_string(config.node.node_id), ConfigType::int32,
         "The same as node.id."},
        {"log.dirs", "data_dir", config.node.data_dir.string(), ConfigType::list,
         "The data folder."},
        {"num.partitions", "topic_defaults.partitions", std::to_string(defaults.partitions),
         ConfigType::int32, "Partitions of a topic that is created without a count."},
        {"default.replication.factor", "topic_defaults.replication_factor",
         std::to_string(defaults.replication_factor), ConfigType::int32,
         "Replicas of a topic that is created without a factor."},
        {"auto.create.topics.enable", "topic_defaults.auto_create",
         defaults.auto_create ? "true" : "false", ConfigType::boolean,
         "Whether a client that asks for a missing topic makes it."},
        {"connections.max.idle.ms", "limits.idle", std::to_string(config.limits.idle.count()),
         ConfigType::int64, "A connection that says nothing for so long is closed."},
        {"max.connections", "limits.connections", std::to_string(config.limits.connections),
         ConfigType::int32, "Connections that may be open at once."},
        {"max.connections.per.ip", "limits.connections_per_address",
         std::to_string(config.limits.connections_per_address), ConfigType::int32,
         "Connections that may be open at once from one address."},
        {"max.incremental.fetch.session.cache.slots", "limits.fetch_sessions",
         std::to_string(config.limits.fetch_sessions), ConfigType::int32,
         "Incremental fetch sessions that are kept."},
        {"log.retention.check.interval.ms", "retention.check_interval",
         std::to_string(config.retention.check_interval.count()), ConfigType::int64,
         "How often the topics' retention is looked at."},
        {"log.cleaner.backoff.ms", "compaction.check_interval",
         std::to_string(config.compaction.check_interval.count()), ConfigType::int64,
         "How often the topics are looked at for compaction."},
        {"log.cleaner.dedupe.buffer.size", "compaction.memory",
         std::to_string(config.compaction.memory.bytes), ConfigType::int64,
         "Memory for the keys of the logs that are compacted at a time."},
        {"producer.id.expiration.ms", "producers.id_expiration",
         std::to_string(config.producers.id_expiration.count()), ConfigType::int32,
         "How long a silent producer is remembered."},
        {"socket.request.max.bytes", "limits.largest_frame",
         std::to_string(config.limits.largest_frame.bytes), ConfigType::int32,
         "A longer request closes its connection."},
    };
    std::vector<cluster::ConfigEntry> entries;
    for (const BrokerConfig& each : known) entries.push_back(entry(each, config.source));
    std::ranges::sort(entries, {}, &cluster::ConfigEntry::name);
    return entries;
}

}  // namespace leat::app
