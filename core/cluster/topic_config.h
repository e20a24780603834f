// Every topic config that Kafka 4.4 knows, and Leat's own: type, default, range, meaning, and
// whether it does anything in Leat yet. CreateTopics, DescribeConfigs and docs/limits.md speak from
// this one table.
//
// Sources    Kafka documentation "Topic Configs"; names, types, defaults and ranges are Kafka's.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/result.h"

namespace leat::cluster {

// Numbers are DescribeConfigs' config_type (KIP-569).
enum class ConfigType : std::int8_t {
    boolean = 1,
    string = 2,
    int32 = 3,
    int16 = 4,
    int64 = 5,
    float64 = 6,
    list = 7,
};

// What setting it does in Leat now.
enum class ConfigEffect {
    effective,
    none,     // Accepted and kept, as clients set it (Streams, Connect); changes nothing.
    refused,  // Only its default is accepted: another value would break what it promises.
    fixed,    // Effective, but only at creation.
};

struct TopicConfigKey {
    std::string_view name;
    ConfigType type = ConfigType::string;
    std::string_view fallback;  // Kafka's default.
    double least = 0;           // For numbers, inclusive.
    double most = 0;
    std::string_view choices;      // For string and list: allowed words, '|' between them.
    std::string_view broker_name;  // The broker config that is its default; empty: none.
    ConfigEffect effect = ConfigEffect::none;
    std::string_view documentation;
};

std::span<const TopicConfigKey> topic_config_keys();             // In order of name.
const TopicConfigKey* find_topic_config(std::string_view name);  // Null: no such key.

enum class TimestampType : std::int8_t { create_time = 0, log_append_time = 1 };

// What the broker acts on.
struct TopicConfig {
    std::int32_t max_message_bytes = 1'048'588;
    std::int32_t segment_bytes = 1 << 30;
    std::chrono::milliseconds segment_ms{604'800'000};
    std::int32_t segment_index_bytes = 10 << 20;
    std::int32_t index_interval_bytes = 4096;
    TimestampType timestamp_type = TimestampType::create_time;
    std::int64_t timestamp_before_max_ms = INT64_MAX;
    std::int64_t timestamp_after_max_ms = 3'600'000;
    bool cleanup_delete = true;  // cleanup.policy contains "delete".
    bool cleanup_compact = false;
    double min_cleanable_dirty_ratio = 0.5;
    std::int64_t delete_retention_ms = 86'400'000;
    std::int64_t min_compaction_lag_ms = 0;
    std::int64_t max_compaction_lag_ms = INT64_MAX;
    std::int64_t retention_ms = 604'800'000;  // -1: without limit.
    std::int64_t retention_bytes = -1;        // -1: without limit.
    std::int32_t min_in_sync = 1;
    bool unclean_leader_election = false;
    std::int64_t flush_messages = INT64_MAX;  // 1: every acknowledged produce waits for its sync.
    std::int64_t flush_ms = INT64_MAX;
    bool validate_records = false;  // leat.validation = "full", or the topic is compacted.

    bool operator==(const TopicConfig&) const = default;
};

using TopicConfigs = std::map<std::string, std::string, std::less<>>;

// One value, by its key's rules. Errors have INVALID_CONFIG's message: Errc::invalid_argument, or
// Errc::unsupported where Kafka would take the value and Leat does not.
sdk::Status check_topic_config(std::string_view name, std::string_view value);

// The same for a key that is not in the table as it stands: under the name that a client used.
sdk::Status check_config_value(const TopicConfigKey& key, std::string_view value);

// All of one topic's overrides, with what one says about another (segment_bytes above
// max_message_bytes is fine, minimum above maximum is not). Errc::unsupported if nothing else is
// wrong.
sdk::Status check_topic_configs(const TopicConfigs& overrides);

// Overrides over `defaults` (this broker's) over Kafka's defaults. What does not parse counts as
// unset: it was checked when it was written, by a broker that may have been newer.
TopicConfig resolve_topic_config(const TopicConfigs& overrides, const TopicConfigs& defaults);

// Numbers are DescribeConfigs' config_source (KIP-226).
enum class ConfigSource : std::int8_t {
    topic = 1,        // DYNAMIC_TOPIC_CONFIG
    broker = 2,       // DYNAMIC_BROKER_CONFIG: set for this broker while it ran.
    all_brokers = 3,  // DYNAMIC_DEFAULT_BROKER_CONFIG: set for all of them.
    broker_file = 4,  // STATIC_BROKER_CONFIG: this broker's TOML.
    fallback = 5,     // DEFAULT_CONFIG
};

struct ConfigSynonym {
    std::string name;
    std::string value;
    ConfigSource source = ConfigSource::fallback;
};

// One line of DescribeConfigs, for a topic or for the broker.
struct ConfigEntry {
    std::string name;
    std::string value;
    ConfigSource source = ConfigSource::fallback;
    ConfigType type = ConfigType::string;
    bool read_only = false;
    bool sensitive = false;
    std::string_view documentation;
    std::vector<ConfigSynonym> synonyms{};  // Nearest first, the one in force among them.
};

// A value as DescribeConfigs shows it in Kafka, which is how it was understood: " +5 " is "5".
// CreateTopics answers it as it came.
std::string as_understood(ConfigType type, std::string_view value);

}  // namespace leat::cluster
