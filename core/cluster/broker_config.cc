#include "core/cluster/broker_config.h"

#include <algorithm>
#include <string>
#include <utility>

namespace leat::cluster {
namespace {

ConfigEntry entry_of(const TopicConfigKey& key, std::vector<ConfigSynonym> synonyms) {
    const ConfigSynonym& nearest = synonyms.front();
    return {.name = std::string{key.broker_name},
            .value = nearest.value,
            .source = nearest.source,
            .type = key.type,
            .documentation = key.documentation,
            .synonyms = std::move(synonyms)};
}

bool changes(const TopicConfigKey& key) {
    return !key.broker_name.empty() && key.effect == ConfigEffect::effective;
}

}  // namespace

const TopicConfigKey* find_broker_config(std::string_view name) {
    for (const auto& key : topic_config_keys()) {
        if (changes(key) && key.broker_name == name) return &key;
    }
    return nullptr;
}

sdk::Status check_broker_config(std::string_view name, std::string_view value) {
    const auto* key = find_broker_config(name);
    if (key == nullptr) {
        return sdk::Error{sdk::Errc::unsupported, std::string{name.substr(0, 200)} +
                                                      " does not change while a broker runs"};
    }
    TopicConfigKey named = *key;
    named.name = key->broker_name;
    return check_config_value(named, value);
}

TopicConfigs topic_defaults(const TopicConfigs& file, const BrokerConfigs& brokers) {
    TopicConfigs made = file;
    for (const auto* layer : {&brokers.all_brokers, &brokers.own}) {
        for (const auto& [name, value] : *layer) {
            if (check_broker_config(name, value)) {
                made[std::string{find_broker_config(name)->name}] = value;
            }
        }
    }
    return made;
}

std::vector<ConfigSynonym> broker_synonyms(const TopicConfigKey& key, const TopicConfigs& file,
                                           const BrokerConfigs& brokers) {
    std::vector<ConfigSynonym> found;
    const auto name = key.broker_name.empty() ? key.name : key.broker_name;
    const auto add = [&](const TopicConfigs& layer, std::string_view by, ConfigSource source) {
        const auto set = layer.find(by);
        if (set == layer.end()) return;
        found.push_back({std::string{name}, set->second, source});
    };
    if (changes(key)) {
        add(brokers.own, name, ConfigSource::broker);
        add(brokers.all_brokers, name, ConfigSource::all_brokers);
    }
    add(file, key.name, ConfigSource::broker_file);
    found.push_back({std::string{name}, std::string{key.fallback}, ConfigSource::fallback});
    return found;
}

std::vector<ConfigEntry> describe_topic_config(const TopicConfigs& overrides,
                                               const TopicConfigs& file,
                                               const BrokerConfigs& brokers, TopicPlugins plugins) {
    std::vector<ConfigEntry> entries;
    entries.reserve(topic_config_keys().size());
    for (const auto& key : topic_config_keys()) {
        ConfigEntry entry{.name = std::string{key.name},
                          .value = {},
                          .type = key.type,
                          .read_only = key.effect == ConfigEffect::fixed,
                          .documentation = key.documentation};
        const auto own = [&](std::string_view value, ConfigSource source) {
            entry.synonyms.push_back({entry.name, std::string{value}, source});
        };
        if (key.effect == ConfigEffect::fixed) {
            const auto is =
                key.name == "leat.storage.engine" ? plugins.storage : plugins.replication;
            const auto usual = file.find(key.name);
            own(is, usual != file.end() && usual->second == is ? ConfigSource::fallback
                                                               : ConfigSource::topic);
        } else {
            const auto set = overrides.find(key.name);
            if (set != overrides.end()) own(set->second, ConfigSource::topic);
            for (auto& each : broker_synonyms(key, file, brokers)) {
                entry.synonyms.push_back(std::move(each));
            }
        }
        entry.value = entry.synonyms.front().value;
        entry.source = entry.synonyms.front().source;
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<ConfigEntry> describe_broker_config(const TopicConfigs& file,
                                                const BrokerConfigs& brokers) {
    std::vector<ConfigEntry> entries;
    for (const auto& key : topic_config_keys()) {
        if (changes(key)) entries.push_back(entry_of(key, broker_synonyms(key, file, brokers)));
    }
    std::ranges::sort(entries, {}, &ConfigEntry::name);
    return entries;
}

std::vector<ConfigEntry> describe_all_brokers(const BrokerConfigs& brokers) {
    std::vector<ConfigEntry> entries;
    for (const auto& [name, value] : brokers.all_brokers) {
        const auto* key = find_broker_config(name);
        if (key == nullptr) continue;
        entries.push_back(entry_of(*key, {{name, value, ConfigSource::all_brokers}}));
    }
    return entries;
}

}  // namespace leat::cluster
