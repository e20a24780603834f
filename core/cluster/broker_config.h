// Configs of brokers that change while they run: those of Kafka's broker configs that are the
// default of a topic config which Leat acts on (topic_config.h: broker_name). All others are in a
// broker's TOML file.
//
// Layers     Nearest first: the topic's own, this broker's, all brokers', the TOML file's, Kafka's
//            default. What does not parse in one of them counts as unset there: it was checked when
//            it was written, by a broker that may have been newer.
// Names      The two layers of brokers go by Kafka's names of broker configs (`log.retention.ms`),
//            the others by those of topic configs (`retention.ms`).
// Sources    KIP-226; Kafka's ServerTopicConfigSynonyms.
#pragma once

#include <string_view>
#include <vector>

#include "core/cluster/topic_config.h"

namespace leat::cluster {

struct BrokerConfigs {
    TopicConfigs all_brokers;
    TopicConfigs own;  // This broker's.

    bool operator==(const BrokerConfigs&) const = default;
};

// The key whose default the broker config of this name is; null if none can change while it runs.
const TopicConfigKey* find_broker_config(std::string_view name);

// One value, by its key's rules. As check_topic_config; Errc::unsupported also: no such
// config changes.
sdk::Status check_broker_config(std::string_view name, std::string_view value);

// What a topic without overrides goes by, by names of topic configs; `file` is the TOML file's.
TopicConfigs topic_defaults(const TopicConfigs& file, const BrokerConfigs& brokers);

// The layers of one key below its topic's own, nearest first, never empty.
std::vector<ConfigSynonym> broker_synonyms(const TopicConfigKey& key, const TopicConfigs& file,
                                           const BrokerConfigs& brokers);

// For DescribeConfigs, in order of name. Of a topic, every key; `plugins` are its instances: a
// default where `file` names the same, so that tools that copy a topic's own configs (MirrorMaker,
// kafka-configs) leave them out, and the topic's own otherwise.
struct TopicPlugins {
    std::string_view storage;
    std::string_view replication;
};
std::vector<ConfigEntry> describe_topic_config(const TopicConfigs& overrides,
                                               const TopicConfigs& file,
                                               const BrokerConfigs& brokers, TopicPlugins plugins);
// Of this broker, all that can change while it runs; of all brokers, what was set for them.
std::vector<ConfigEntry> describe_broker_config(const TopicConfigs& file,
                                                const BrokerConfigs& brokers);
std::vector<ConfigEntry> describe_all_brokers(const BrokerConfigs& brokers);

}  // namespace leat::cluster
