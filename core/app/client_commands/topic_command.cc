// leat topic list, create, describe, alter, delete.

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/app/client_commands/broker_option.h"
#include "core/app/client_commands/client_commands.h"
#include "core/client/topics.h"
#include "core/cluster/records.h"

namespace leat::app {
namespace {

using client::Cluster;
using json = nlohmann::ordered_json;
using Code = sdk::Result<int>;

struct TopicOptions {
    BrokerOption broker;
    std::vector<std::string> names;
    bool json = false;
    bool internal = false;
    bool all_configs = false;
    bool if_exists = false;
    bool if_not_exists = false;
    bool dry_run = false;
    std::int32_t partitions = -1;
    std::int16_t replicas = -1;
    std::vector<std::string> configs;
    std::vector<std::string> unset;
};
using Options = std::shared_ptr<TopicOptions>;

constexpr std::int32_t most_partitions = 1'000'000;
constexpr std::int8_t set_on_the_topic = 1;  // DYNAMIC_TOPIC_CONFIG

void print(const json& value) {
    std::printf("%s\n", value.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string joined(const std::vector<std::int32_t>& numbers) {
    std::string text;
    for (const auto each : numbers) text += (text.empty() ? "" : ",") + std::to_string(each);
    return text.empty() ? "-" : text;
}

std::size_t replicas_of(const wire::MetadataResponse::Topic& topic) {
    return topic.partitions.empty() ? 0 : topic.partitions[0].replica_nodes.size();
}

Code list(Cluster& cluster, const TopicOptions& options) {
    auto topics = client::list_topics(cluster);
    if (!topics) return topics.error();
    if (!options.internal)
        std::erase_if(*topics, [](const auto& each) { return each.is_internal; });
    json all = json::array();
    std::size_t longest = 0;
    for (const auto& each : *topics) longest = std::max(longest, each.name->size());
    for (const auto& each : *topics) {
        all.push_back({{"name", *each.name},
                       {"partitions", each.partitions.size()},
                       {"replicas", replicas_of(each)},
                       {"internal", each.is_internal}});
        if (options.json) continue;
        std::printf("%-*s  %s, %s\n", static_cast<int>(longest), each.name->c_str(),
                    counted(each.partitions.size(), "partition").c_str(),
                    counted(replicas_of(each), "replica").c_str());
    }
    if (options.json) print(all);
    return 0;
}

sdk::Result<std::vector<client::ConfigValue>> parse_configs(const std::vector<std::string>& texts) {
    std::vector<client::ConfigValue> configs;
    for (const auto& text : texts) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            return sdk::Error{sdk::Errc::invalid_argument,
                              "--config takes KEY=VALUE, not `" + text + "`"};
        }
        configs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return configs;
}

Code create(Cluster& cluster, const TopicOptions& options) {
    const auto configs = parse_configs(options.configs);
    if (!configs) return say(configs.error()), 2;
    json all = json::array();
    for (const auto& name : options.names) {
        bool existed = false;
        const auto made = client::create_topic(cluster,
                                               {.name = name,
                                                .partitions = options.partitions,
                                                .replicas = options.replicas,
                                                .configs = *configs},
                                               options.dry_run, existed);
        const bool left_alone = existed && options.if_not_exists;
        if (!made && !left_alone) return made.error();
        if (options.json) {
            all.push_back({{"name", name}, {"created", made && !options.dry_run}});
        } else if (left_alone) {
            std::printf("%s is there already\n", name.c_str());
        } else {
            const std::string with =
                made->partitions > 0
                    ? " with " + counted(static_cast<std::size_t>(made->partitions), "partition")
                    : "";
            std::printf("%s %s%s\n", name.c_str(), options.dry_run ? "could be created" : "created",
                        with.c_str());
        }
    }
    if (options.json) print(all);
    return 0;
}

Code remove(Cluster& cluster, const TopicOptions& options) {
    json all = json::array();
    for (const auto& name : options.names) {
        bool missing = false;
        const auto status = client::delete_topic(cluster, name, missing);
        const bool left_alone = missing && options.if_exists;
        if (!status && !left_alone) return status.error();
        if (options.json) {
            all.push_back({{"name", name}, {"deleted", !missing}});
        } else {
            std::printf(missing ? "%s is not there\n" : "%s deleted\n", name.c_str());
        }
    }
    if (options.json) print(all);
    return 0;
}

Code alter(Cluster& cluster, const TopicOptions& options) {
    auto configs = parse_configs(options.configs);
    if (!configs) return say(configs.error()), 2;
    client::TopicChange change{.set = std::move(*configs), .unset = options.unset};
    if (options.partitions > 0) change.partitions = options.partitions;
    if (!change.partitions && change.set.empty() && change.unset.empty()) {
        return say({.what = "nothing to alter: name --partitions, --config or --unset"}), 2;
    }
    json all = json::array();
    for (const auto& name : options.names) {
        const auto status = client::alter_topic(cluster, name, change, options.dry_run);
        if (!status) return status.error();
        all.push_back({{"name", name}, {"altered", !options.dry_run}});
        if (options.json) continue;
        std::printf("%s %s\n", name.c_str(), options.dry_run ? "could be altered" : "altered");
    }
    if (options.json) print(all);
    return 0;
}

template <class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json();
}

json to_json(const client::TopicState& topic) {
    json partitions = json::array();
    for (const auto& each : topic.partitions) {
        const auto& partition = each.partition;
        partitions.push_back({{"partition", partition.partition_index},
                              {"leader", partition.leader_id},
                              {"leader_epoch", partition.leader_epoch},
                              {"replicas", partition.replica_nodes},
                              {"in_sync", partition.isr_nodes},
                              {"offline", partition.offline_replicas},
                              {"begin", or_null(each.begin)},
                              {"end", or_null(each.end)}});
    }
    json configs = json::array();
    for (const auto& config : topic.configs) {
        configs.push_back({{"name", config.name},
                           {"value", or_null(config.value)},
                           {"set_on_topic", config.config_source == set_on_the_topic}});
    }
    return {{"name", topic.name},
            {"id", topic.id.is_zero() ? json() : json(cluster::uuid_text(topic.id))},
            {"internal", topic.internal},
            {"partitions", partitions},
            {"configs", configs}};
}

std::string offset_text(const std::optional<std::int64_t>& offset) {
    return offset ? std::to_string(*offset) : "-";
}

void print_text(const client::TopicState& topic, bool all_configs) {
    std::printf("%s  %s%s%s\n", topic.name.c_str(),
                counted(topic.partitions.size(), "partition").c_str(),
                topic.internal ? ", internal" : "",
                topic.id.is_zero() ? "" : (", id " + cluster::uuid_text(topic.id)).c_str());
    for (const auto& config : topic.configs) {
        const bool own = config.config_source == set_on_the_topic;
        if (!own && !all_configs) continue;
        std::printf("  %s = %s%s\n", config.name.c_str(), config.value.value_or("").c_str(),
                    own || !all_configs ? "" : "  (default)");
    }
    std::printf("%10s %7s %10s %10s %14s %14s\n", "partition", "leader", "replicas", "in sync",
                "begin", "end");
    for (const auto& each : topic.partitions) {
        const auto& partition = each.partition;
        const auto leader = partition.leader_id < 0 ? "none" : std::to_string(partition.leader_id);
        std::printf("%10d %7s %10s %10s %14s %14s\n", partition.partition_index, leader.c_str(),
                    joined(partition.replica_nodes).c_str(), joined(partition.isr_nodes).c_str(),
                    offset_text(each.begin).c_str(), offset_text(each.end).c_str());
    }
}

Code describe(Cluster& cluster, const TopicOptions& options) {
    json all = json::array();
    for (const auto& name : options.names) {
        const auto topic = client::describe_topic(cluster, name);
        if (!topic) return topic.error();
        if (options.json) {
            all.push_back(to_json(*topic));
        } else {
            print_text(*topic, options.all_configs);
        }
    }
    if (options.json) print(all);
    return 0;
}

using Act = Code (*)(Cluster&, const TopicOptions&);

CLI::App& add(CommandLine& line, CLI::App& group, const char* name, const char* what, Act act,
              const Options& options) {
    CLI::App& added = line.command(group, name, what, [options, act] {
        return over_the_wire(options->broker,
                             [&options, act](Cluster& cluster) { return act(cluster, *options); });
    });
    options->broker.add_to(added);
    added.add_flag("--json", options->json, "For programs");
    return added;
}

void add_names(CLI::App& command, const Options& options) {
    command.add_option("TOPIC", options->names, "Names of topics")->required();
}

// One value each time that it is given, so that what follows is not taken for another.
void add_repeated(CLI::App& command, const char* name, std::vector<std::string>& to,
                  const char* what) {
    command.add_option(name, to, what)->type_size(1)->allow_extra_args(false);
}

void add_create(CommandLine& line, CLI::App& group) {
    const auto options = std::make_shared<TopicOptions>();
    CLI::App& created = add(line, group, "create",
                            "Create topics.\n"
                            "  leat topic create orders --partitions 6\n"
                            "  leat topic create clicks -c retention.ms=86400000",
                            create, options);
    add_names(created, options);
    created.add_option("-p,--partitions", options->partitions, "As the broker has it if not given")
        ->check(CLI::Range(1, most_partitions));
    created.add_option("-r,--replicas", options->replicas, "As the broker has it if not given")
        ->check(CLI::Range(1, INT16_MAX));
    add_repeated(created, "-c,--config", options->configs, "KEY=VALUE; may be repeated");
    created.add_flag("--if-not-exists", options->if_not_exists, "One that is there is fine");
    created.add_flag("--dry-run", options->dry_run, "Only ask whether it could be created");
}

void add_alter(CommandLine& line, CLI::App& group) {
    const auto options = std::make_shared<TopicOptions>();
    CLI::App& altered = add(line, group, "alter",
                            "Add partitions to topics, set and unset configs.\n"
                            "  leat topic alter orders --partitions 12\n"
                            "  leat topic alter clicks -c retention.ms=3600000 --unset segment.ms",
                            alter, options);
    add_names(altered, options);
    altered.add_option("-p,--partitions", options->partitions, "How many there are to be")
        ->check(CLI::Range(1, most_partitions));
    add_repeated(altered, "-c,--config", options->configs, "KEY=VALUE to set; may be repeated");
    add_repeated(altered, "-u,--unset", options->unset,
                 "KEY that follows the broker's default again; may be repeated");
    altered.add_flag("--dry-run", options->dry_run, "Only ask whether it could be altered");
}

}  // namespace

void add_topic_commands(CommandLine& line) {
    CLI::App& group = line.group("topic",
                                 "List, create, describe, alter and delete topics.\n"
                                 "  leat topic create orders --partitions 6");
    auto options = std::make_shared<TopicOptions>();
    add(line, group, "list", "List topics.\n  leat topic list --broker broker-1:9092", list,
        options)
        .add_flag("--internal", options->internal, "Those of the broker itself too");

    add_create(line, group);

    options = std::make_shared<TopicOptions>();
    CLI::App& described = add(line, group, "describe",
                              "Say the partitions, offsets and configs of topics.\n"
                              "  leat topic describe orders\n"
                              "  leat topic describe orders --json | jq '.[].partitions[].end'",
                              describe, options);
    add_names(described, options);
    described.add_flag("--configs", options->all_configs, "Those that were not set on it too");

    add_alter(line, group);

    options = std::make_shared<TopicOptions>();
    CLI::App& deleted =
        add(line, group, "delete", "Delete topics and their records.\n  leat topic delete orders",
            remove, options);
    add_names(deleted, options);
    deleted.add_flag("--if-exists", options->if_exists, "One that is not there is fine");
}

}  // namespace leat::app
