#include "core/config/config.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "core/config/file_text.h"
#include "core/config/substitution.h"

namespace leat::config {

namespace {

constexpr std::array<std::string_view, 18> tables{
    "listener",          "plugins",    "storage",         "coordination", "replication",
    "topic_defaults",    "topics",     "internal_topics", "limits",       "network",
    "producers",         "retention",  "compaction",      "http",         "log",
    "group_coordinator", "assignment", "groups"};

bool legal_pattern(std::string_view pattern) {
    constexpr std::string_view legal =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-*";
    return !pattern.empty() && pattern.find_first_not_of(legal) == std::string_view::npos;
}

bool legal_instance_name(std::string_view name) {
    constexpr std::string_view legal =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return !name.empty() && name.size() <= 64 &&
           name.find_first_not_of(legal) == std::string_view::npos;
}

template <class Section>
InstanceConfig read_instance(Reading& reading, const Entry& entry, std::string name,
                             std::string shown) {
    InstanceConfig instance{std::move(name), std::move(shown), {},
                            entry.key_place, entry.key_place,  {}};
    const Table* table = entry.value.table();
    if (table == nullptr) {
        reading.complain(entry.value.place, instance.table + " must be a table, not " +
                                                std::string{kind_of(entry.value)});
        return instance;
    }
    if (!legal_instance_name(instance.name))
        reading.complain(entry.key_place,
                         "an instance's name is 1 to 64 letters, digits, `_` or `-`");
    Section section;
    for (const Entry& option : table->entries) {
        if (read_key(reading, option, section)) {
            instance.plugin_place = option.value.place;
        } else {
            instance.options.push_back(option);
        }
    }
    instance.plugin = std::move(section.plugin);
    if (table->find("plugin") == nullptr)
        reading.complain(entry.key_place, instance.table +
                                              " needs `plugin = \"...\"`; `leat plugins` lists "
                                              "what there is");
    return instance;
}

template <class Section>
std::vector<InstanceConfig> read_instances(Reading& reading, const Entry& entry) {
    std::vector<InstanceConfig> instances;
    const Table* table = entry.value.table();
    if (table == nullptr) {
        reading.complain(entry.value.place, "`" + entry.key + "` must be tables, such as [" +
                                                entry.key + ".NAME], not " +
                                                std::string{kind_of(entry.value)});
        return instances;
    }
    for (const Entry& named : table->entries) {
        if (named.value.table() == nullptr) {
            reading.complain(named.key_place,
                             "[" + entry.key + "] holds instances only: name one, such as [" +
                                 entry.key + ".NAME], and put `" + named.key + "` in it");
            continue;
        }
        instances.push_back(read_instance<Section>(reading, named, named.key,
                                                   "[" + entry.key + "." + named.key + "]"));
    }
    return instances;
}

void read_listeners(Reading& reading, const Entry& entry, std::vector<Listener>& out) {
    const Array* array = entry.value.array();
    if (array == nullptr) {
        reading.complain(entry.value.place,
                         "`listener` must be tables, each begun by [[listener]]");
        return;
    }
    for (const Node& node : array->items) {
        ListenerSection section;
        read_section(reading, node, "[[listener]]", section);
        const auto place_of = [&](std::string_view name) {
            const Entry* found = node.table() == nullptr ? nullptr : node.table()->find(name);
            return found == nullptr ? node.place : found->value.place;
        };
        Listener listener{section.name, {}, std::nullopt, place_of("name")};
        if (const auto bind = parse_endpoint(section.bind)) {
            listener.bind = *bind;
        } else {
            reading.complain(place_of("bind"),
                             "`bind` must be an address and a port, such as "
                             "\"127.0.0.1:9092\", \"[::1]:9092\" or \":9092\"");
        }
        if (section.advertise != "auto") {
            listener.advertise = parse_endpoint(section.advertise);
            if (!listener.advertise || listener.advertise->host.empty() ||
                listener.advertise->port == 0)
                reading.complain(place_of("advertise"),
                                 "`advertise` must be \"auto\" or a host "
                                 "and a port, such as \"broker-1:9092\"");
        }
        out.push_back(std::move(listener));
    }
}

void read_topic_settings(Reading& reading, const Entry& entry, std::string_view shown,
                         TopicSettings& out) {
    out.place = entry.key_place;
    read_section(reading, entry.value, shown, static_cast<TopicSection&>(out), {"config"});
    const Entry* config = entry.value.table() ? entry.value.table()->find("config") : nullptr;
    if (config == nullptr) return;
    if (config->value.table() == nullptr) {
        reading.complain(config->value.place,
                         "`config` must be a table of topic configs, such as "
                         "\"max.message.bytes\" = 1048588");
        return;
    }
    for (const Entry& given : config->value.table()->entries) {
        if (given.value.table() != nullptr)
            reading.complain(given.key_place,
                             "topic configs have dots in their names: quote them, "
                             "such as \"max.message.bytes\" = 1048588");
        std::erase_if(out.config, [&](const Entry& old) { return old.key == given.key; });
        out.config.push_back(given);
    }
}

void read_templates(Reading& reading, const Entry& entry, Config& out) {
    if (entry.value.table() == nullptr) {
        reading.complain(entry.value.place,
                         "`topics` must be tables by name pattern, such as [topics.\"sensor-*\"]");
        return;
    }
    for (const Entry& named : entry.value.table()->entries) {
        if (!legal_pattern(named.key))
            reading.complain(named.key_place,
                             "a topic's name has letters, digits, `.`, `_` and `-`, and a pattern "
                             "`*` for any run of them: no topic matches `" +
                                 named.key + "`");
        TopicTemplate& added =
            out.topics.emplace_back(TopicTemplate{named.key, out.topic_defaults});
        read_topic_settings(reading, named, "[topics.\"" + named.key + "\"]", added.settings);
    }
}

void read_groups(Reading& reading, const Entry& entry, Config& out) {
    if (entry.value.table() == nullptr) {
        reading.complain(entry.value.place,
                         "`groups` must be tables by pattern, such as [groups.\"orders-*\"]");
        return;
    }
    for (const Entry& named : entry.value.table()->entries) {
        GroupsSection section;
        read_section(reading, named.value, "[groups.\"" + named.key + "\"]", section);
        const Entry* assignor =
            named.value.table() ? named.value.table()->find("assignor") : nullptr;
        out.groups.push_back({named.key, section.assignor,
                              assignor == nullptr ? named.key_place : assignor->value.place});
    }
}

// Every table but those that others build on.
void read_table(Reading& reading, const Entry& entry, Config& out) {
    const std::string& name = entry.key;
    const auto section = [&](auto& into) {
        read_section(reading, entry.value, "[" + name + "]", into);
    };
    if (name == "listener") read_listeners(reading, entry, out.listeners);
    if (name == "plugins") section(out.plugins);
    if (name == "storage") out.storage = read_instances<StorageSection>(reading, entry);
    if (name == "coordination")
        out.coordination =
            read_instance<CoordinationSection>(reading, entry, "coordination", "[coordination]");
    if (name == "replication") out.replication = read_instances<ReplicationSection>(reading, entry);
    if (name == "assignment") out.assignment = read_instances<AssignmentSection>(reading, entry);
    if (name == "groups") read_groups(reading, entry, out);
    if (name == "topics") read_templates(reading, entry, out);
    if (name == "internal_topics")
        section(static_cast<InternalTopicsSection&>(out.internal_topics));
    if (name == "limits") section(out.limits);
    if (name == "network") section(out.network);
    if (name == "producers") section(out.producers);
    if (name == "retention") section(out.retention);
    if (name == "compaction") section(out.compaction);
    if (name == "group_coordinator") {
        section(out.group_coordinator);
        out.group_coordinator_place = entry.key_place;
    }
    if (name == "http") section(out.http);
    if (name == "log") section(out.log);
}

void make_paths_absolute(const std::filesystem::path& folder, Config& out) {
    const auto absolute = [&](std::filesystem::path& path) {
        path = (folder / path).lexically_normal();
    };
    absolute(out.node.data_dir);
    for (auto& path : out.plugins.search_path) absolute(path);
    if (!out.log.file.empty()) absolute(out.log.file);
}

void read_root(Reading& reading, const Node& root, Config& out) {
    std::vector<std::string> names = key_names<NodeSection>();
    names.insert(names.end(), tables.begin(), tables.end());
    if (const Entry* defaults = root.table()->find("topic_defaults"))
        read_topic_settings(reading, *defaults, "[topic_defaults]", out.topic_defaults);
    for (const Entry& entry : root.table()->entries) {
        if (std::find(tables.begin(), tables.end(), entry.key) != tables.end()) {
            read_table(reading, entry, out);
        } else if (!read_key(reading, entry, out.node)) {
            const bool is_table = entry.value.table() != nullptr;
            reading.complain(entry.key_place,
                             std::string{is_table ? "unknown section `" : "unknown key `"} +
                                 entry.key + "`" + did_you_mean(entry.key, names));
        }
    }
    resolve_references(reading, *root.table(), out);
}

}  // namespace

Loading load_text(const std::filesystem::path& file, std::string_view text) {
    Loading loading;
    loading.config.source = Source{file.string(), text};
    auto parsed = parse_toml(loading.config.source, text);
    if (auto* complaint = std::get_if<Complaint>(&parsed)) {
        loading.complaints.push_back(std::move(*complaint));
        loading.readable = false;
        return loading;
    }
    std::error_code ignored;
    const auto folder = std::filesystem::absolute(file, ignored).parent_path();
    Node& root = std::get<Node>(parsed);
    substitute(root, folder, loading.config.source, loading.complaints);
    std::set<Place> unknown;  // A second complaint about one of these would say nothing new.
    for (const Complaint& each : loading.complaints) unknown.insert(each.place);
    std::vector<Complaint> more;
    Reading reading{loading.config.source, more};
    read_root(reading, root, loading.config);
    std::ranges::copy_if(more, std::back_inserter(loading.complaints),
                         [&](const Complaint& each) { return !unknown.contains(each.place); });
    make_paths_absolute(folder, loading.config);
    std::stable_sort(loading.complaints.begin(), loading.complaints.end(),
                     [](const Complaint& a, const Complaint& b) { return a.place < b.place; });
    return loading;
}

Loading load(const std::filesystem::path& file) {
    Loading loading;
    const auto refuse = [&](const std::string& reason) {
        loading.complaints.push_back(Source{file.string(), ""}.complaint({}, reason));
        loading.readable = false;
        return loading;
    };
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (file.empty()) return refuse("no file is named; give the path of a configuration");
    if (status.type() == std::filesystem::file_type::none) return refuse(error.message());
    if (!std::filesystem::exists(status))
        return refuse("there is no such file; config/dev.toml in Leat's sources is one to copy");
    if (std::filesystem::is_directory(status))
        return refuse("this is a folder: give the path of a configuration file");
    if (!std::filesystem::is_regular_file(status))
        return refuse("this is not a regular file: give the path of a configuration file");
    const auto size = std::filesystem::file_size(file, error);
    if (error || size > most_file_bytes)
        return refuse("larger than a configuration file may be (" + text_of(Size{most_file_bytes}) +
                      ")");
    const OpenFile opened{file};
    std::string text;
    if (opened.descriptor() < 0 || !read_up_to(opened.descriptor(), most_file_bytes, text))
        return refuse("cannot be read: see its permissions");
    return load_text(file, text);
}

}  // namespace leat::config
