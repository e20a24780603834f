// A broker's configuration, read from one TOML file, or every mistake in that file at once.
//
// What a plugin's own table holds is not known here: it comes along with its places, and the plugin
// host checks it against what the plugin declares (core/host/instances.h).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/group_sections.h"
#include "core/config/node.h"
#include "core/config/sections.h"
#include "core/config/source.h"
#include "leat/sdk/network.h"

namespace leat::config {

// [storage.fast] plugin = "segment", with that plugin's own options beside it.
struct InstanceConfig {
    std::string name;   // `fast`; for [coordination]: "coordination".
    std::string table;  // "[storage.fast]", as complaints show it.
    std::string plugin;
    Place place;  // Of the table; line 0 if it is there by default.
    Place plugin_place;
    std::vector<Entry> options;
};

struct Listener {
    std::string name;
    sdk::Endpoint bind;  // Host: an address or a name, empty for every one. Port 0: any free one.
    std::optional<sdk::Endpoint> advertise;  // Nothing: as the client dialled.
    Place place;
};

// Settings of topics, and Kafka's topic configs as they stand in the file, unchecked.
struct TopicSettings : TopicSection {
    std::vector<Entry> config;
    Place place;
    Place storage_place;  // Of the value of its own `storage`; line 0 if it has none.
};
struct TopicTemplate {
    std::string pattern;     // '*' is any run of characters.
    TopicSettings settings;  // The defaults, with what the template says put over them.
};

struct GroupPattern {
    std::string pattern;  // '*' is any run of characters.
    std::string assignor;
    Place assignor_place;
};

struct InternalTopics : InternalTopicsSection {
    Place storage_place;  // As in TopicSettings.
};

struct Config {
    Source source;                    // For complaints that are found later.
    NodeSection node;                 // With data_dir made absolute, as all paths here.
    std::vector<Listener> listeners;  // At least one.
    PluginsSection plugins;
    std::vector<InstanceConfig> storage;  // At least one, names differ; as in the file.
    InstanceConfig coordination;
    std::vector<InstanceConfig> replication;  // Has at least "single".
    // As in the file, and then those that groups go by and that are named by their plugin alone.
    std::vector<InstanceConfig> assignment;
    std::vector<GroupPattern> groups;  // The first that matches counts.
    TopicSettings topic_defaults;
    std::vector<TopicTemplate> topics;  // The first that matches counts.
    InternalTopics internal_topics;
    LimitsSection limits;
    NetworkSection network;
    ProducersSection producers;
    RetentionSection retention;
    CompactionSection compaction;
    GroupCoordinatorSection group_coordinator;
    std::optional<Place> group_coordinator_place;  // Of its section, if the file has it.
    HttpSection http;
    std::optional<sdk::Endpoint> http_listen;  // As `http` says; nothing: off.
    LogSection log;

    const TopicSettings& settings_for(std::string_view topic) const;
    // The assignment instance; empty: none.
    std::string assignor_for(std::string_view group) const;
};

struct Loading {
    Config config;  // To serve with only if there are no complaints; to look for more else.
    std::vector<Complaint> complaints;  // In the order of the file.

    bool readable = true;  // False: no TOML, or no file; then `config` holds nothing.

    bool ok() const { return complaints.empty(); }
};

Loading load(const std::filesystem::path& file);

// As load(), of text that is in memory; `file` is what complaints call it and what paths in it are
// relative to.
Loading load_text(const std::filesystem::path& file, std::string_view text);

bool matches(std::string_view pattern, std::string_view name);

// "host:port", "[::1]:9092" or ":9092" (every address). Nothing if it is none of those.
std::optional<sdk::Endpoint> parse_endpoint(std::string_view text);

// Checks between sections: instances that are referred to exist, names differ, sizes fit together.
// Fills in the storage instance where there is only one. Called by load().
void resolve_references(Reading& reading, const Table& root, Config& config);

}  // namespace leat::config
