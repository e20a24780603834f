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

}  // namespace

broker::TopicTemplate topic_template(const config::Config& config, std::string_view topic) {
    if (cluster::Image::is_internal(topic)) {
        return {.partitions = config.internal_topics.partitions,
                .replication_factor =
                    static_cast<std::int16_t>(config.internal_topics.replication_factor),
                .storage = config.internal_topics.storage,
                .replication = config.internal_topics.replication,
                // As Kafka makes them: compacted, small segments, batches as they come.
                .configs = {
                    {"cleanup.policy", "compact"},
                    {"compression.type", "producer"},
                    {"segment.bytes", std::to_string(config.internal_topics.segment_size.bytes)}}};
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

}  // namespace leat::app
