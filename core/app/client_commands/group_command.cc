// leat group list, describe, lag, delete; reset is group_reset.h, export is group_export.h.

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/app/client_commands/broker_option.h"
#include "core/app/client_commands/client_commands.h"
#include "core/app/client_commands/group_export.h"
#include "core/app/client_commands/group_lag.h"
#include "core/app/client_commands/group_reset.h"
#include "core/app/client_commands/table.h"
#include "core/client/groups.h"

namespace leat::app {
namespace {

using client::Cluster;
using client::GroupState;
using json = nlohmann::ordered_json;
using Code = sdk::Result<int>;

struct GroupOptions {
    BrokerOption broker;
    std::vector<std::string> names;
    client::GroupFilter filter;
    bool json = false;
    bool all = false;
    bool if_exists = false;
    bool offsets = false;
    std::vector<std::string> topics;
};
using Options = std::shared_ptr<GroupOptions>;

void print(const json& value) {
    std::printf("%s\n", value.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

template <class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json();
}

std::string text_of(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "";
}

// "clicks/1 orders/0,2"
std::string text_of(const client::TopicPartitions& partitions) {
    std::string text;
    for (const auto& [topic, numbers] : partitions) {
        text += (text.empty() ? "" : " ") + topic + "/";
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            text += (i == 0 ? "" : ",") + std::to_string(numbers[i]);
        }
    }
    return text;
}

Code list(Cluster& cluster, const GroupOptions& options) {
    const auto groups = client::list_groups(cluster, options.filter);
    if (!groups) return groups.error();
    json all = json::array();
    Table table{{{"group"}, {"state"}, {"type"}, {"protocol"}, {"coordinator", true}}};
    for (const auto& each : *groups) {
        all.push_back({{"group", each.id},
                       {"state", each.state},
                       {"type", each.type},
                       {"protocol_type", each.protocol_type},
                       {"coordinator", each.coordinator}});
        table.add(
            {each.id, each.state, each.type, each.protocol_type, std::to_string(each.coordinator)});
    }
    if (options.json) {
        print(all);
    } else if (!groups->empty()) {
        std::fputs(table.text().c_str(), stdout);
    }
    return 0;
}

json to_json(const GroupState& group) {
    json members = json::array();
    for (const auto& each : group.members) {
        members.push_back({{"id", each.id},
                           {"instance", or_null(each.instance)},
                           {"client_id", each.client_id},
                           {"host", each.client_host},
                           {"rack", each.rack.empty() ? json() : json(each.rack)},
                           {"topics", each.topics},
                           {"pattern", or_null(each.pattern)},
                           {"assigned", each.assigned},
                           {"owned", each.owned},
                           {"epoch", or_null(each.epoch)}});
    }
    return {{"group", group.id},
            {"type", group.type},
            {"state", group.state},
            {"protocol_type", group.protocol_type},
            {"assignor", group.assignor},
            {"coordinator", group.coordinator},
            {"coordinator_address", client::text_of(group.coordinator_at)},
            {"members", members}};
}

void print_text(const GroupState& group) {
    std::printf("%s  %s, %s, %s%s, coordinator %d at %s\n", shown(group.id).c_str(),
                shown(group.state).c_str(), group.type.c_str(),
                counted(group.members.size(), "member").c_str(),
                group.assignor.empty() ? "" : (", assignor " + shown(group.assignor)).c_str(),
                group.coordinator, client::text_of(group.coordinator_at).c_str());
    if (group.members.empty()) return;
    Table table{{{"member"}, {"instance"}, {"host"}, {"rack"}, {"count", true}, {"partitions"}}};
    for (const auto& each : group.members) {
        std::size_t count = 0;
        for (const auto& [topic, numbers] : each.assigned) count += numbers.size();
        table.add({each.id, each.instance.value_or(""), each.client_host, each.rack,
                   std::to_string(count), text_of(each.assigned)});
    }
    std::fputs(table.text().c_str(), stdout);
}

Code describe(Cluster& cluster, const GroupOptions& options) {
    json all = json::array();
    for (const auto& name : options.names) {
        const auto group = client::describe_group(cluster, name);
        if (!group) return group.error();
        options.json ? all.push_back(to_json(*group)) : print_text(*group);
    }
    if (options.json) print(all);
    return 0;
}

json to_json(const std::vector<LagSum>& sums, const char* of) {
    json all = json::array();
    for (const auto& each : sums) {
        all.push_back({{of, each.name},
                       {"partitions", each.partitions},
                       {"unknown", each.unknown},
                       {"lag", each.lag}});
    }
    return all;
}

json to_json(const GroupState& group, const std::vector<PartitionLag>& partitions) {
    json rows = json::array();
    for (const auto& each : partitions) {
        rows.push_back({{"topic", each.topic},
                        {"partition", each.partition},
                        {"committed", or_null(each.committed)},
                        {"end", or_null(each.end)},
                        {"lag", or_null(each.lag())},
                        {"owner", each.owner == nullptr ? json() : json(each.owner->id)}});
    }
    return {{"group", group.id},
            {"state", group.state},
            {"partitions", rows},
            {"topics", to_json(by_topic(partitions), "topic")},
            {"members", to_json(by_member(partitions, group), "member")}};
}

void print_sums(const char* of, const std::vector<LagSum>& sums) {
    if (sums.empty()) return;
    Table table{{{of}, {"partitions", true}, {"unknown", true}, {"lag", true}}};
    for (const auto& each : sums) {
        table.add({each.name, std::to_string(each.partitions), std::to_string(each.unknown),
                   std::to_string(each.lag)});
    }
    std::printf("\n%s", table.text().c_str());
}

void print_text(const GroupState& group, const std::vector<PartitionLag>& partitions) {
    std::printf("%s  %s\n", shown(group.id).c_str(), shown(group.state).c_str());
    if (partitions.empty()) return;
    Table table{{{"topic"},
                 {"partition", true},
                 {"committed", true},
                 {"end", true},
                 {"lag", true},
                 {"owner"}}};
    for (const auto& each : partitions) {
        table.add({each.topic, std::to_string(each.partition), text_of(each.committed),
                   text_of(each.end), text_of(each.lag()),
                   each.owner == nullptr ? "" : name_of(*each.owner, group)});
    }
    std::fputs(table.text().c_str(), stdout);
    print_sums("topic", by_topic(partitions));
    print_sums("member", by_member(partitions, group));
}

Code lag(Cluster& cluster, const GroupOptions& options) {
    if (options.all != options.names.empty()) {
        return say({.what = "name groups, or --all in their place"}), 2;
    }
    auto names = options.names;
    if (options.all) {
        const auto listed = client::list_groups(cluster, {});
        if (!listed) return listed.error();
        for (const auto& each : *listed) names.push_back(each.id);
    }
    json all = json::array();
    for (const auto& name : names) {
        const auto group = client::describe_group(cluster, name);
        // It may have gone since it was listed; one that is named has to be there.
        if (!group && options.all && group.error().code == sdk::Errc::not_found) continue;
        if (!group) return group.error();
        const auto partitions = lag_of(cluster, *group);
        if (!partitions) return partitions.error();
        if (options.json) {
            all.push_back(to_json(*group, *partitions));
            continue;
        }
        if (name != names.front()) std::printf("\n");
        print_text(*group, *partitions);
    }
    if (options.json) print(all);
    return 0;
}

// The partitions of TOPIC or TOPIC:0,2; a topic alone is all that are committed.
sdk::Result<client::TopicPartitions> partitions_of(const std::vector<std::string>& texts,
                                                   const client::GroupOffsets& committed) {
    client::TopicPartitions chosen;
    for (const auto& text : texts) {
        const std::string topic = text.substr(0, text.find(':'));
        const auto known = committed.find(topic);
        if (known == committed.end()) {
            return sdk::Error{sdk::Errc::not_found,
                              "the group has committed nothing for topic " + topic};
        }
        if (topic == text) {
            for (const auto& [number, offset] : known->second) chosen[topic].push_back(number);
            continue;
        }
        std::string rest = text.substr(topic.size() + 1) + ",";
        for (std::size_t at = 0; at < rest.size(); at = rest.find(',', at) + 1) {
            const std::string word = rest.substr(at, rest.find(',', at) - at);
            const auto found = std::ranges::find_if(known->second, [&word](const auto& each) {
                return std::to_string(each.first) == word;
            });
            if (found == known->second.end()) {
                return sdk::Error{sdk::Errc::not_found, "the group has committed nothing for `" +
                                                            word + "` of topic " + topic};
            }
            chosen[topic].push_back(found->first);
        }
    }
    return chosen;
}

Code remove_offsets(Cluster& cluster, const GroupOptions& options) {
    json all = json::array();
    for (const auto& name : options.names) {
        const auto committed = client::committed_offsets(cluster, name);
        if (!committed) return committed.error();
        const auto chosen = partitions_of(options.topics, *committed);
        if (!chosen) return chosen.error();
        const auto status = client::delete_offsets(cluster, name, *chosen);
        if (!status) return status.error();
        all.push_back({{"group", name}, {"deleted", *chosen}});
        if (options.json) continue;
        std::printf("%s: offsets deleted of %s\n", shown(name).c_str(),
                    shown(text_of(*chosen)).c_str());
    }
    if (options.json) print(all);
    return 0;
}

Code remove(Cluster& cluster, const GroupOptions& options) {
    if (options.offsets == options.topics.empty()) {
        return say({.what = "--offsets and --topic go together"}), 2;
    }
    if (options.offsets) return remove_offsets(cluster, options);
    json all = json::array();
    for (const auto& name : options.names) {
        bool missing = false;
        const auto status = client::delete_group(cluster, name, missing);
        const bool left_alone = missing && options.if_exists;
        if (!status && !left_alone) return status.error();
        all.push_back({{"group", name}, {"deleted", !missing}});
        if (options.json) continue;
        std::printf(missing ? "%s is not there\n" : "%s deleted\n", shown(name).c_str());
    }
    if (options.json) print(all);
    return 0;
}

using Act = Code (*)(Cluster&, const GroupOptions&);

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

// One value each time that it is given, so that what follows is not taken for another.
void add_repeated(CLI::App& command, const char* name, std::vector<std::string>& to,
                  const char* what) {
    command.add_option(name, to, what)->type_size(1)->allow_extra_args(false);
}

}  // namespace

void add_group_commands(CommandLine& line) {
    CLI::App& group =
        line.group("group",
                   "List, describe, export, reset and delete consumer groups, say their lag.\n"
                   "  leat group lag shop");
    auto options = std::make_shared<GroupOptions>();
    CLI::App& listed =
        add(line, group, "list",
            "List the groups of all brokers.\n  leat group list --state Stable", list, options);
    add_repeated(listed, "--state", options->filter.states,
                 "Only these: Stable, Empty, PreparingRebalance, ...; may be repeated");
    add_repeated(listed, "--type", options->filter.types,
                 "Only these: classic, consumer; may be repeated");

    options = std::make_shared<GroupOptions>();
    add(line, group, "describe",
        "Say who is in groups and who has which partitions.\n"
        "  leat group describe shop\n"
        "  leat group describe shop --json | jq '.[].members[].assigned'",
        describe, options)
        .add_option("GROUP", options->names, "Ids of groups")
        ->required();

    options = std::make_shared<GroupOptions>();
    CLI::App& behind = add(line, group, "lag",
                           "Say how far groups are behind, by partition, topic and member.\n"
                           "  leat group lag shop\n"
                           "  leat group lag --all --json | jq '.[].topics'",
                           lag, options);
    behind.add_option("GROUP", options->names, "Ids of groups");
    behind.add_flag("--all", options->all, "Every group, in the place of ids");

    add_group_export(line, group);
    add_group_reset(line, group);

    options = std::make_shared<GroupOptions>();
    CLI::App& deleted = add(line, group, "delete",
                            "Delete groups that have no members, or offsets that they committed.\n"
                            "  leat group delete shop\n"
                            "  leat group delete shop --offsets --topic orders:0,2",
                            remove, options);
    deleted.add_option("GROUP", options->names, "Ids of groups")->required();
    deleted.add_flag("--if-exists", options->if_exists, "One that is not there is fine");
    deleted.add_flag("--offsets", options->offsets, "Not the group: what it committed for --topic");
    add_repeated(deleted, "--topic", options->topics,
                 "TOPIC or TOPIC:PARTITION,...; may be repeated");
}

}  // namespace leat::app
