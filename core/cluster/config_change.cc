// Other configs, of topic_change.h.
#include <algorithm>
#include <string>

#include "core/cluster/topic_change.h"
#include "core/cluster/topic_rules.h"

namespace leat::cluster {

using wire::ErrorCode;

namespace {

TopicRefusal refuse(ErrorCode error, std::string message) {
    return {error, std::move(message)};
}

std::string_view word_of(ConfigOperation operation) {
    switch (operation) {
        case ConfigOperation::set:
            return "SET";
        case ConfigOperation::remove:
            return "DELETE";
        case ConfigOperation::append:
            return "APPEND";
        case ConfigOperation::subtract:
            return "SUBTRACT";
    }
    return "?";
}

// As Java splits them: untrimmed, without empty ones at the end, but empty text is one part.
std::vector<std::string> parts_of(std::string_view text) {
    if (text.empty()) return {""};
    std::vector<std::string> parts;
    for (auto comma = text.find(','); comma != std::string_view::npos; comma = text.find(',')) {
        parts.emplace_back(text.substr(0, comma));
        text.remove_prefix(comma + 1);
    }
    parts.emplace_back(text);
    while (!parts.empty() && parts.back().empty()) parts.pop_back();
    return parts;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const auto& part : parts) text.append(text.empty() ? "" : ",").append(part);
    return text;
}

std::string changed_list(std::string_view present, const ConfigChange& change) {
    auto parts = parts_of(present);
    std::erase(parts, "");
    for (auto& part : parts_of(change.value)) {
        const auto found = std::ranges::find(parts, part);
        if (change.operation == ConfigOperation::append) {
            if (found == parts.end()) parts.push_back(std::move(part));
        } else if (found != parts.end()) {
            parts.erase(found);
        }
    }
    return joined(parts);
}

// What is fixed may be set to what it is: old tools write back all that they have read.
std::optional<TopicRefusal> check_fixed(const ConfigChange& change, const TopicImage* topic) {
    if (topic == nullptr) return std::nullopt;
    const auto& is = change.name == "leat.storage.engine" ? topic->storage : topic->replication;
    if (change.operation == ConfigOperation::set && change.value == is) return std::nullopt;
    return refuse(ErrorCode::invalid_config,
                  change.name + " is fixed when a topic is created: it is " + is + ".");
}

// `key` is null where the name is not known: only a list can be added to.
std::optional<TopicRefusal> take(const ConfigChange& change, const TopicConfigKey* key,
                                 ConfigMap& configs) {
    switch (change.operation) {
        case ConfigOperation::append:
        case ConfigOperation::subtract: {
            if (key == nullptr || key->type != ConfigType::list) {
                return refuse(ErrorCode::invalid_config,
                              "Can't " + std::string{word_of(change.operation)} + " to key " +
                                  change.name + " because its type is not LIST.");
            }
            const auto set = configs.find(change.name);
            const std::string_view present =
                set == configs.end() ? key->fallback : std::string_view{set->second};
            configs[change.name] = changed_list(present, change);
            return std::nullopt;
        }
        case ConfigOperation::set:
            configs[change.name] = change.value;
            return std::nullopt;
        case ConfigOperation::remove:
            configs.erase(change.name);
            return std::nullopt;
    }
    return refuse(ErrorCode::invalid_request, "There is no such operation on a config.");
}

bool sets_or_removes(const ConfigChange& change) {
    return change.operation == ConfigOperation::set || change.operation == ConfigOperation::remove;
}

// Those of a broker that it is to have and that do not change while it runs.
std::string unchangeable(const std::vector<ConfigChange>& changes) {
    std::string names;
    for (const auto& change : changes) {
        if (change.operation == ConfigOperation::remove) continue;
        if (find_broker_config(change.name) != nullptr) continue;
        names.append(names.empty() ? "" : ", ").append(change.name);
    }
    return names;
}

Stages put_configs(std::string key, const ConfigMap& configs, const StoreView& view,
                   const sdk::Check& fence) {
    sdk::Transaction change;
    change.checks = {fence, {key, view.revision(key)}};
    change.operations.emplace_back(sdk::Put{.key = std::move(key), .value = encode(configs)});
    return {{std::move(change)}};
}

}  // namespace

std::variant<ConfigMap, TopicRefusal> plan_configs(const TopicConfigChange& wanted,
                                                   const StoreView& view) {
    if (wanted.topic.empty()) {
        return refuse(ErrorCode::invalid_request, "Default topic resources are not allowed.");
    }
    if (auto legal = check_topic_name(wanted.topic); !legal) {
        return refuse(ErrorCode::invalid_topic_exception, legal.error().what);
    }
    const auto* topic = view.image().topic(wanted.topic);
    ConfigMap overrides;
    if (topic != nullptr && !wanted.replace) overrides = topic->overrides;
    for (const auto& change : wanted.changes) {
        const auto* key = find_topic_config(change.name);
        const bool fixed = key != nullptr && key->effect == ConfigEffect::fixed;
        auto refused = fixed && sets_or_removes(change) ? check_fixed(change, topic)
                                                        : take(change, key, overrides);
        if (refused) return *refused;
    }
    // As in Kafka, wrong values come before a topic that is not there; what is wrong only here does
    // not, for Kafka's answer is then that there is no topic.
    const auto checked = check_topic_configs(overrides);
    const bool ours = !checked && checked.error().code == sdk::Errc::unsupported;
    if (!checked && !(ours && topic == nullptr)) {
        return refuse(ErrorCode::invalid_config, checked.error().what);
    }
    if (topic == nullptr) {
        return refuse(ErrorCode::unknown_topic_or_partition,
                      "The topic '" + wanted.topic + "' does not exist.");
    }
    return overrides;
}

ConfigMap broker_configs(std::optional<sdk::NodeId> broker, const StoreView& view) {
    const auto* stored = view.find(keys::broker_config(broker));
    if (stored == nullptr) return {};
    const auto configs = decode<ConfigMap>(*stored);
    return configs ? *configs : ConfigMap{};
}

std::variant<ConfigMap, TopicRefusal> plan_broker_configs(const BrokerConfigChange& wanted,
                                                          const StoreView& view) {
    if (const auto names = unchangeable(wanted.changes); !names.empty()) {
        return refuse(ErrorCode::invalid_request,
                      "Cannot update these configs dynamically: [" + names + "]");
    }
    ConfigMap configs;
    if (!wanted.replace) configs = broker_configs(wanted.broker, view);
    for (const auto& change : wanted.changes) {
        if (wanted.broker && change.name == "min.insync.replicas") {  // Which one leads changes.
            return refuse(ErrorCode::invalid_config,
                          "Broker-level min.insync.replicas cannot be altered: set it for all "
                          "brokers, or for a topic.");
        }
        if (auto refused = take(change, find_broker_config(change.name), configs)) return *refused;
        const auto now = configs.find(change.name);
        if (now == configs.end()) continue;
        if (auto checked = check_broker_config(now->first, now->second); !checked) {
            return refuse(ErrorCode::invalid_request, checked.error().what);
        }
    }
    return configs;
}

Stages config_stages(const sdk::Uuid& topic_id, const ConfigMap& overrides, const StoreView& view,
                     const sdk::Check& fence) {
    return put_configs(keys::topic_config(topic_id), overrides, view, fence);
}

Stages broker_config_stages(std::optional<sdk::NodeId> broker, const ConfigMap& configs,
                            const StoreView& view, const sdk::Check& fence) {
    return put_configs(keys::broker_config(broker), configs, view, fence);
}

}  // namespace leat::cluster
