#include <algorithm>
#include <set>

#include "core/config/config.h"

namespace leat::config {

namespace {

constexpr std::size_t longest_cluster_id = 64;

std::vector<std::string> names_of(const std::vector<InstanceConfig>& instances) {
    std::vector<std::string> names;
    for (const InstanceConfig& instance : instances) names.push_back(instance.name);
    return names;
}

// Where `key` stands in the table at `path`, else where the table begins.
Place place_of(const Table& root, std::initializer_list<std::string_view> path,
               std::string_view key) {
    const Table* table = &root;
    Place place;
    for (const std::string_view step : path) {
        const Entry* entry = table == nullptr ? nullptr : table->find(step);
        if (entry == nullptr) return place;
        place = entry->key_place;
        table = entry->value.table();
    }
    const Entry* entry = table == nullptr ? nullptr : table->find(key);
    return entry == nullptr ? place : entry->value.place;
}

// Where the value of `key` in the table at `path` stands; line 0 if it is not there.
Place own_place(const Table& root, std::initializer_list<std::string_view> path,
                std::string_view key) {
    const Table* table = &root;
    for (const std::string_view step : path) {
        const Entry* entry = table == nullptr ? nullptr : table->find(step);
        table = entry == nullptr ? nullptr : entry->value.table();
    }
    const Entry* entry = table == nullptr ? nullptr : table->find(key);
    return entry == nullptr ? Place{} : entry->value.place;
}

void check_node(Reading& reading, const Table& root, const NodeSection& node) {
    if (node.data_dir.empty())
        reading.complain(place_of(root, {}, "data_dir"),
                         "`data_dir` must name a folder, such as \"data\"");
    constexpr std::string_view legal =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (node.cluster_id.size() > longest_cluster_id ||
        node.cluster_id.find_first_not_of(legal) != std::string::npos)
        reading.complain(place_of(root, {}, "cluster_id"),
                         "`cluster_id` must be up to " + std::to_string(longest_cluster_id) +
                             " letters, digits, `.`, `_` or `-`, such as "
                             "\"4L6g3nShT-eMCtK--X86sw\"");
}

void check_listeners(Reading& reading, const Config& config) {
    std::set<std::string> names;
    std::set<std::pair<std::string, std::uint16_t>> addresses;
    for (const Listener& listener : config.listeners) {
        if (listener.name.empty())
            reading.complain(listener.place, "a listener needs a name: `name = \"plain\"`");
        else if (!names.insert(listener.name).second)
            reading.complain(listener.place, "a second listener is named `" + listener.name + "`");
        if (listener.bind.port != 0 &&
            !addresses.insert({listener.bind.host, listener.bind.port}).second)
            reading.complain(listener.place, "a second listener is bound to " + listener.bind.host +
                                                 ":" + std::to_string(listener.bind.port));
    }
}

// `name` must be among `instances`. An empty storage name becomes the only instance there is.
void check_reference(Reading& reading, const std::vector<InstanceConfig>& instances,
                     std::string_view kind, Place place, std::string& name) {
    const std::vector<std::string> known = names_of(instances);
    if (name.empty() && known.size() == 1) name = known.front();
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    std::string all;
    for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
    const std::string kind_text{kind};
    reading.complain(place, name.empty() ? "there are several " + kind_text + " instances (" + all +
                                               "): say which with `" + kind_text + " = \"...\"`"
                                         : "there is no [" + kind_text + "." + name + "]" +
                                               did_you_mean(name, known));
}

void check_topics(Reading& reading, const Table& root, Config& config) {
    const auto storage = [&](auto& settings, Place place) {
        check_reference(reading, config.storage, "storage", place, settings.storage);
    };
    const auto replication = [&](auto& settings, Place place) {
        check_reference(reading, config.replication, "replication", place, settings.replication);
    };
    auto& defaults = config.topic_defaults;
    defaults.storage_place = own_place(root, {"topic_defaults"}, "storage");
    storage(defaults, place_of(root, {"topic_defaults"}, "storage"));
    replication(defaults, place_of(root, {"topic_defaults"}, "replication"));
    // What they do not name themselves is the defaults', and checked there: one complaint.
    const auto follow = [&](auto& settings, std::initializer_list<std::string_view> path) {
        settings.storage_place = own_place(root, path, "storage");
        if (settings.storage_place.line > 0)
            storage(settings, settings.storage_place);
        else
            settings.storage = defaults.storage;
        if (const Place own = own_place(root, path, "replication"); own.line > 0)
            replication(settings, own);
    };
    follow(config.internal_topics, {"internal_topics"});
    for (TopicTemplate& each : config.topics) follow(each.settings, {"topics", each.pattern});
}

// A plugin's name will do where no instance has it. Whether there is such a plugin, the host knows.
void add_assignors(const Table& root, Config& config) {
    const auto add = [&config](const std::string& name, std::string table, Place place) {
        const auto names = names_of(config.assignment);
        if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
        config.assignment.push_back({name, std::move(table), name, place, place, {}});
    };
    for (const GroupPattern& group : config.groups)
        add(group.assignor, "[groups.\"" + group.pattern + "\"]", group.assignor_place);
    const Place given = own_place(root, {"group_coordinator"}, "consumer_assignors");
    if (given.line == 0) return;  // A program without one of the default's is no mistake.
    for (const std::string& name : config.group_coordinator.consumer_assignors)
        add(name, "[group_coordinator]", given);
}

void check_limits(Reading& reading, const Table& root, const LimitsSection& limits) {
    if (limits.largest_frame.bytes <= limits.memory_budget.bytes / 4 * 3) return;
    const auto shown = [&](const char* path, Size size) {
        return reading.source.hides(path) ? std::string{} : " (" + text_of(size) + ")";
    };
    reading.complain(place_of(root, {"limits"}, "largest_frame"),
                     "a frame of `largest_frame`" +
                         shown("limits.largest_frame", limits.largest_frame) +
                         " does not fit into `memory_budget`" +
                         shown("limits.memory_budget", limits.memory_budget) +
                         ", a quarter of which is for all others");
}

void check_groups(Reading& reading, const Table& root, const GroupCoordinatorSection& groups) {
    const auto complain = [&](std::string_view key, std::string reason) {
        reading.complain(place_of(root, {"group_coordinator"}, key), std::move(reason));
    };
    if (groups.session_timeout_min > groups.session_timeout_max)
        complain("session_timeout_min",
                 "`session_timeout_min` (" + text_of(groups.session_timeout_min) +
                     ") is longer than `session_timeout_max` (" +
                     text_of(groups.session_timeout_max) + "): nobody could join a group");
    if (groups.consumer_heartbeat_interval >= groups.consumer_session_timeout)
        complain("consumer_heartbeat_interval",
                 "`consumer_heartbeat_interval` (" + text_of(groups.consumer_heartbeat_interval) +
                     ") must be shorter than `consumer_session_timeout` (" +
                     text_of(groups.consumer_session_timeout) +
                     "), or members are put out between two heartbeats");
    const auto& assignors = groups.consumer_assignors;
    if (assignors.empty() || std::find(assignors.begin(), assignors.end(), "") != assignors.end())
        complain("consumer_assignors",
                 "`consumer_assignors` must name at least one assignor, such as \"uniform\", and "
                 "none may be empty");
}

void check_http(Reading& reading, const Table& root, Config& config) {
    if (config.http.listen.empty()) return;
    config.http_listen = parse_endpoint(config.http.listen);
    if (config.http_listen) return;
    reading.complain(place_of(root, {"http"}, "listen"),
                     "`listen` must be an address and a port, such as \"127.0.0.1:9644\"");
}

}  // namespace

void resolve_references(Reading& reading, const Table& root, Config& config) {
    if (config.listeners.empty() && root.find("listener") == nullptr)
        config.listeners.push_back({"plain", {"127.0.0.1", 9092}, std::nullopt, {}});
    if (config.storage.empty() && root.find("storage") == nullptr)
        config.storage.push_back({"disk", "[storage.disk]", "segment", {}, {}, {}});
    if (root.find("coordination") == nullptr)
        config.coordination = {"coordination", "[coordination]", "local", {}, {}, {}};
    const auto replications = names_of(config.replication);
    if (std::find(replications.begin(), replications.end(), "single") == replications.end())
        config.replication.push_back({"single", "[replication.single]", "single", {}, {}, {}});
    check_node(reading, root, config.node);
    check_listeners(reading, config);
    if (config.storage.empty())
        reading.complain(place_of(root, {}, "storage"),
                         "[storage] holds no instance: name one, such as [storage.disk]");
    else
        check_topics(reading, root, config);
    add_assignors(root, config);
    check_limits(reading, root, config.limits);
    check_groups(reading, root, config.group_coordinator);
    check_http(reading, root, config);
}

}  // namespace leat::config
