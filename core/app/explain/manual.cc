#include "core/app/explain/manual.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/cluster/topic_config.h"
#include "core/config/values.h"

namespace leat::app {
namespace {

constexpr std::string_view topic_configs_name = "topic_defaults.config";

// "[[listener]]" is the table "listener".
std::string name_of(std::string_view table) {
    while (table.starts_with('[')) table.remove_prefix(1);
    while (table.ends_with(']')) table.remove_suffix(1);
    return std::string{table};
}

std::string path_of(const std::string& section, const std::string& key) {
    return section.empty() ? key : section + "." + key;
}

ManualSection section_of(const config::SectionReference& reference) {
    ManualSection made{.name = name_of(reference.table),
                       .title = reference.table.empty() ? "Above all tables" : reference.table,
                       .plugin = {},
                       .description = reference.description,
                       .opening = reference.table.empty() ? "" : reference.table + "\n",
                       .keys = {}};
    for (const auto& key : reference.keys) {
        made.keys.push_back({path_of(made.name, key.name), key, {}});
    }
    return made;
}

// The options of one plugin, in the table that names it.
ManualSection section_of(const host::Listing& plugin, const ManualSection& table) {
    ManualSection made{.name = table.name,
                       .title = table.title + " with the plugin " + plugin.name,
                       .plugin = plugin.name,
                       .description = plugin.description,
                       .opening = table.opening + "plugin = \"" + plugin.name + "\"\n",
                       .keys = {}};
    for (const sdk::Option& option : plugin.options) {
        made.keys.push_back({path_of(made.name, option.name), config::reference_of(option), {}});
    }
    return made;
}

std::string type_of(cluster::ConfigType type) {
    switch (type) {
        case cluster::ConfigType::boolean:
            return "boolean";
        case cluster::ConfigType::string:
            return "text";
        case cluster::ConfigType::float64:
            return "number";
        case cluster::ConfigType::list:
            return "list, by commas";
        default:
            return "integer";
    }
}

std::string note_of(cluster::ConfigEffect effect) {
    switch (effect) {
        case cluster::ConfigEffect::effective:
            return "";
        case cluster::ConfigEffect::none:
            return "Accepted and kept, without effect yet.";
        case cluster::ConfigEffect::refused:
            return "Nothing but the default is accepted.";
        case cluster::ConfigEffect::fixed:
            return "Fixed when the topic is created.";
    }
    return "";
}

std::string range_of(const cluster::TopicConfigKey& key) {
    constexpr double most_exact = 1e15;  // Beyond, a double is no exact bound: there is none.
    std::string choices;
    for (const auto& choice : config::split_choices(key.choices)) {
        choices += (choices.empty() ? "" : " | ") + choice;
    }
    if (!choices.empty()) return choices;
    if (key.type == cluster::ConfigType::boolean) return "true | false";
    if (key.least >= key.most || key.least < -most_exact) return "";
    const auto number = [](double n) { return std::to_string(static_cast<std::int64_t>(n)); };
    if (key.most > most_exact) return "at least " + number(key.least);
    return number(key.least) + " to " + number(key.most);
}

ManualKey key_of(const cluster::TopicConfigKey& key) {
    const bool is_text =
        key.type == cluster::ConfigType::string || key.type == cluster::ConfigType::list;
    const auto written = [&](std::string_view value) {
        return is_text ? config::text_of(std::string{value}) : std::string{value};
    };
    const std::string name{key.name};
    ManualKey made{name, {.name = name}, note_of(key.effect)};
    made.is.type = type_of(key.type);
    if (name.ends_with(".ms")) made.is.unit = "milliseconds";
    if (name.ends_with(".bytes")) made.is.unit = "bytes";
    made.is.range = range_of(key);
    made.is.description = key.documentation;
    if (key.effect == cluster::ConfigEffect::fixed) {
        made.note += " Its default is what `storage` and `replication` say in the file.";
    } else {
        made.is.fallback = written(key.fallback);
        made.is.example = "\"" + name + "\" = " + written(key.fallback);
    }
    return made;
}

ManualSection topic_configs() {
    ManualSection made{.name = std::string{topic_configs_name},
                       .title = "Topic configs",
                       .plugin = {},
                       .description = {},
                       .opening = "[topic_defaults.config]\n",
                       .keys = {}};
    made.description =
        "What a topic is set to, at its creation or later. In the file, [topic_defaults.config] "
        "holds them for every topic that does not set them itself, and "
        "[topics.\"PATTERN\".config] for those that are created with such a name. The names have "
        "dots and stand in quotes.";
    for (const auto& key : cluster::topic_config_keys()) made.keys.push_back(key_of(key));
    return made;
}

std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> parts{1};
    for (const char c : path) {
        if (c == '.') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

// "storage.fast.writeback" is storage.NAME.writeback, "topics.sensor-*.partitions" is
// topic_defaults.partitions.
std::string in_general(std::string_view asked) {
    std::string clean;
    for (const char c : asked) {
        if (c != '[' && c != ']' && c != '"' && c != '\'') clean += c;
    }
    auto parts = parts_of(clean);
    if (parts.size() >= 2 && (parts[0] == "storage" || parts[0] == "replication")) {
        parts[1] = "NAME";
    } else if (parts.size() >= 2 && parts[0] == "topics") {
        parts.erase(parts.begin());
        parts[0] = "topic_defaults";
    } else if (clean == "storage" || clean == "replication") {
        parts.emplace_back("NAME");
    } else if (clean == "topics") {
        parts[0] = "topic_defaults";
    }
    std::string joined;
    for (const auto& part : parts) joined += (joined.empty() ? "" : ".") + part;
    return joined;
}

template <class Wanted>
Manual only(const Manual& manual, Wanted wanted) {
    Manual found;
    for (const auto& section : manual) {
        ManualSection kept = section;
        std::erase_if(kept.keys, [&](const ManualKey& key) { return !wanted(section, key); });
        if (!kept.keys.empty()) found.push_back(std::move(kept));
    }
    return found;
}

}  // namespace

Manual manual(const host::PluginHost& plugins) {
    Manual all;
    for (const auto& reference : config::reference()) {
        all.push_back(section_of(reference));
        const ManualSection table = all.back();
        const std::string kind = parts_of(table.name).front();
        for (const auto& listing : plugins.listings()) {
            if (listing.kind == kind) all.push_back(section_of(listing, table));
        }
    }
    all.push_back(topic_configs());
    return all;
}

Manual find(const Manual& manual, std::string_view asked) {
    const std::string general = in_general(asked);
    const std::string tail =
        general.substr(std::min(general.size(), topic_configs_name.size() + 1));
    const bool of_topics = general.starts_with(std::string{topic_configs_name} + ".");
    const std::string path = of_topics ? tail : general;
    auto found = only(manual, [&](const auto&, const auto& key) { return key.path == path; });
    // A section of which the operator may mean one plugin's part.
    for (const auto& section : manual) {
        if (section.name == general || (!section.plugin.empty() && section.plugin == asked)) {
            found.push_back(section);
        }
    }
    if (!found.empty()) return found;
    found = only(manual, [&](const ManualSection& section, const ManualKey& key) {
        return key.is.name == asked ||
               (!section.plugin.empty() && section.plugin + "." + key.is.name == asked);
    });
    return found;
}

std::vector<std::string> known_words(const Manual& manual) {
    std::set<std::string> words;
    for (const auto& section : manual) {
        if (!section.name.empty()) words.insert(section.name);
        if (!section.plugin.empty()) words.insert(section.plugin);
        for (const auto& key : section.keys) {
            words.insert(key.path);
            words.insert(key.is.name);
        }
    }
    return {words.begin(), words.end()};
}

std::string example_of(const ManualSection& section, const ManualKey& key) {
    if (key.is.example.empty()) return {};
    const bool whole_line = section.name == topic_configs_name;
    const bool another_listener = section.name == "listener" && key.is.name != "name";
    return section.opening + (another_listener ? "name = \"plain\"\n" : "") +
           (whole_line ? "" : key.is.name + " = ") + key.is.example + "\n";
}

}  // namespace leat::app
