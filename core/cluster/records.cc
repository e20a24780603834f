#include "core/cluster/records.h"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

namespace leat::cluster {

using nlohmann::json;
using sdk::NodeId;
using sdk::Uuid;

namespace keys {

std::string broker(NodeId node) { return std::string{brokers} + std::to_string(node.value); }
std::string directory(NodeId node) {
    return std::string{directories} + std::to_string(node.value);
}
std::string topic(std::string_view name) { return std::string{topics}.append(name); }
std::string partition(const Uuid& topic_id, std::int32_t index) {
    return std::string{partitions} + uuid_text(topic_id) + "/" + std::to_string(index);
}
std::string deletion(const Uuid& topic_id) { return std::string{deletions} + uuid_text(topic_id); }
std::string topic_config(const Uuid& topic_id) {
    return std::string{topic_configs} + uuid_text(topic_id);
}
std::string broker_config(std::optional<NodeId> node) {
    return std::string{broker_configs} + (node ? std::to_string(node->value) : "default");
}

}  // namespace keys

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t uuid_characters = 22;

json list_of(const std::vector<NodeId>& nodes) {
    json made = json::array();
    for (const auto node : nodes) made.push_back(node.value);
    return made;
}

// Reads fields one by one and remembers the first that is missing or of another type.
class Reader {
public:
    explicit Reader(const sdk::KeyValue& entry)
        : key_{entry.key}, root_(json::parse(entry.value, nullptr, false)) {
        if (!root_.is_object()) {
            wrong_ = "it is not a JSON object";
        } else if (integer<int>("version") < 1) {
            wrong_ = "'version' is not a positive number";
        }
    }

    template <class Number>
    Number integer(const char* name) {
        const auto* found = field(name);
        if (found == nullptr || !found->is_number_integer()) return fail(name), Number{};
        const auto wide = found->template get<std::int64_t>();
        if (wide < std::numeric_limits<Number>::min() ||
            wide > std::numeric_limits<Number>::max()) {
            return fail(name), Number{};
        }
        return static_cast<Number>(wide);
    }
    std::string text(const char* name) {
        const auto* found = field(name);
        if (found == nullptr || !found->is_string()) return fail(name), std::string{};
        return found->get<std::string>();
    }
    bool boolean(const char* name) {
        const auto* found = field(name);
        if (found == nullptr || !found->is_boolean()) return fail(name), false;
        return found->get<bool>();
    }
    Uuid uuid(const char* name) {
        const auto parsed = parse_uuid(text(name));
        return parsed ? *parsed : (fail(name), Uuid{});
    }
    NodeId node(const char* name) { return NodeId{integer<std::int32_t>(name)}; }
    std::vector<NodeId> nodes(const char* name) {
        const auto* found = field(name);
        std::vector<NodeId> made;
        if (found == nullptr || !found->is_array()) return fail(name), made;
        for (const auto& each : *found) {
            if (!each.is_number_integer()) return fail(name), made;
            made.push_back(NodeId{each.get<std::int32_t>()});
        }
        return made;
    }
    std::vector<Endpoint> endpoints(const char* name) {
        const auto* found = field(name);
        std::vector<Endpoint> made;
        if (found == nullptr || !found->is_array()) return fail(name), made;
        for (const auto& each : *found) {
            Reader one{key_, each};
            made.push_back({.listener = one.text("listener"),
                            .host = one.text("host"),
                            .port = one.integer<std::uint16_t>("port")});
            if (!one.wrong_.empty()) return fail(name), made;
        }
        return made;
    }
    ConfigMap configs(const char* name) {
        const auto* found = field(name);
        ConfigMap made;
        if (found == nullptr || !found->is_object()) return fail(name), made;
        for (const auto& [key, value] : found->items()) {
            if (!value.is_string()) return fail(name), made;
            made.emplace(key, value.get<std::string>());
        }
        return made;
    }

    template <class Record>
    sdk::Result<Record> done(Record record) {
        if (wrong_.empty()) return record;
        return sdk::Error{sdk::Errc::corrupt, "The value of " + key_ +
                                                  " in the coordination store is damaged: " +
                                                  wrong_ + "."};
    }

private:
    Reader(std::string key, const json& object) : key_{std::move(key)}, root_(object) {}

    const json* field(const char* name) const {
        if (!root_.is_object()) return nullptr;
        const auto found = root_.find(name);
        return found == root_.end() ? nullptr : &*found;
    }
    void fail(const char* name) {
        if (wrong_.empty()) wrong_ = "'" + std::string{name} + "' is missing or of another type";
    }

    std::string key_;
    json root_;
    std::string wrong_;
};

}  // namespace

std::string uuid_text(const Uuid& uuid) {
    std::string text;
    text.reserve(uuid_characters);
    unsigned held = 0;
    unsigned bits = 0;
    for (const auto byte : uuid.bytes) {
        held = (held << 8) | byte;
        bits += 8;
        for (; bits >= 6; bits -= 6) text.push_back(alphabet[(held >> (bits - 6)) & 63]);
        held &= (1u << bits) - 1;
    }
    text.push_back(alphabet[(held << (6 - bits)) & 63]);
    return text;
}

std::optional<Uuid> parse_uuid(std::string_view text) {
    if (text.size() != uuid_characters) return std::nullopt;
    Uuid uuid;
    std::size_t at = 0;
    unsigned held = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const auto digit = alphabet.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        held = ((held << 6) | static_cast<unsigned>(digit)) & 0xffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            uuid.bytes[at++] = static_cast<std::uint8_t>(held >> bits);
        }
    }
    if ((held & ((1u << bits) - 1)) != 0) return std::nullopt;
    return uuid;
}

std::string encode(const ClusterRecord& record) {
    return json{{"version", 1}, {"cluster_id", record.cluster_id}}.dump();
}

std::string encode(const BrokerRecord& record) {
    json endpoints = json::array();
    for (const auto& each : record.endpoints) {
        endpoints.push_back(
            {{"listener", each.listener}, {"host", each.host}, {"port", each.port}});
    }
    return json{{"version", 1},
                {"node", record.node.value},
                {"directory", uuid_text(record.directory)},
                {"incarnation", uuid_text(record.incarnation)},
                {"rack", record.rack},
                {"endpoints", std::move(endpoints)}}
        .dump();
}

std::string encode(const ControllerRecord& record) {
    return json{{"version", 1},
                {"node", record.node.value},
                {"incarnation", uuid_text(record.incarnation)},
                {"epoch", record.epoch}}
        .dump();
}

std::string encode(const TopicRecord& record) {
    return json{{"version", 1},
                {"name", record.name},
                {"id", uuid_text(record.id)},
                {"partitions", record.partitions},
                {"internal", record.internal},
                {"storage", record.storage},
                {"replication", record.replication},
                {"configured", record.configured}}
        .dump();
}

std::string encode(const DeletionRecord& record) {
    return json{{"version", 1},
                {"name", record.name},
                {"id", uuid_text(record.id)},
                {"partitions", record.partitions}}
        .dump();
}

std::string encode(const ProducerIdsRecord& record) {
    return json{{"version", 1},
                {"next", record.next},
                {"node", record.node.value},
                {"token", uuid_text(record.token)}}
        .dump();
}

std::string encode(const sdk::PartitionState& state) {
    return json{{"version", 1},
                {"leader", state.leader.value_or(no_node).value},
                {"leader_epoch", state.leader_epoch.value},
                {"replicas", list_of(state.replicas)},
                {"isr", list_of(state.in_sync)},
                {"elr", list_of(state.eligible)}}
        .dump();
}

std::string encode(const ConfigMap& configs) {
    return json{{"version", 1}, {"values", json(configs)}}.dump();
}

std::string encode_features(const std::map<std::string, std::int16_t>& features) {
    return json{{"version", 1}, {"features", json(features)}}.dump();
}

template <>
sdk::Result<ClusterRecord> decode(const sdk::KeyValue& entry) {
    Reader from{entry};
    ClusterRecord record{.cluster_id = from.text("cluster_id")};
    return from.done(std::move(record));
}

template <>
sdk::Result<BrokerRecord> decode(const sdk::KeyValue& entry) {
    Reader from{entry};
    BrokerRecord record{.node = from.node("node"),
                        .directory = from.uuid("directory"),
                        .incarnation = from.uuid("incarnation"),
                        .rack = from.text("rack"),
                        .endpoints = from.endpoints("endpoints")};
    return from.done(std::move(record));
}

template <>
sdk::Result<ControllerRecord> decode(const sdk::KeyValue& entry) {
    Reader from{entry};
    ControllerRecord record{.node = from.node("node"),
                            .incarnation = from.uuid("incarnation"),
                            .epoch = from.integer<std::int32_t>("epoch")};
    return from.done(record);
}

template <>
sdk::Result<TopicRecord> decode(const sdk::KeyValue& entry) {
    Reader from{entry};
    TopicRecord record{.name = from.text("name"),
                       .id = from.uuid("id"),
                       .partitions = from.integer<std::int32_t>("partitions"),
                       .internal = from.boolean("internal"),
                       .storage = from.text("storage"),
                       .replication = from.text("replication"),
                       .configured = from.boolean("configured")};
    return from.done(std::move(record));
}

template <>
sdk::Result<DeletionRecord> decode(const sdk::KeyValue& entry) {
    Reader from{entry};
    DeletionRecord record{.name = from.text("name"),
                          .id = from.uuid("id"),
                          .partitions = from.integer<std::int32_t>("partitions")};
    return from.done(std::move(record));
}

template <>
sdk::Result<ProducerIdsRecord> decode(const sdk::KeyValue& entry) {
    Reader from{entry};
    ProducerIdsRecord record{.next = from.integer<std::int64_t>("next"),
                             .node = from.node("node"),
                             .token = from.uuid("token")};
    return from.done(record);
}

template <>
sdk::Result<sdk::PartitionState> decode(const sdk::KeyValue& entry) {
    Reader from{entry};
    sdk::PartitionState state{
        .replicas = from.nodes("replicas"),
        .in_sync = from.nodes("isr"),
        .eligible = from.nodes("elr"),
        .leader = from.node("leader"),
        .leader_epoch = sdk::LeaderEpoch{from.integer<std::int32_t>("leader_epoch")}};
    if (state.leader == no_node) state.leader.reset();
    return from.done(std::move(state));
}

template <>
sdk::Result<ConfigMap> decode(const sdk::KeyValue& entry) {
    Reader from{entry};
    auto configs = from.configs("values");
    return from.done(std::move(configs));
}

std::optional<PartitionPath> parse_partition_key(std::string_view key) {
    if (!key.starts_with(keys::partitions)) return std::nullopt;
    key.remove_prefix(keys::partitions.size());
    if (key.size() < uuid_characters + 2 || key[uuid_characters] != '/') return std::nullopt;
    const auto id = parse_uuid(key.substr(0, uuid_characters));
    const auto digits = key.substr(uuid_characters + 1);
    std::int32_t index = -1;
    const auto* last = digits.data() + digits.size();
    const auto [end, failure] = std::from_chars(digits.data(), last, index);
    if (!id || failure != std::errc{} || end != last || index < 0) {
        return std::nullopt;
    }
    return PartitionPath{.topic_id = *id, .index = index};
}

}  // namespace leat::cluster
