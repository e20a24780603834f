#include "core/app/client_commands/group_reset.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/app/client_commands/broker_option.h"
#include "core/app/client_commands/offset_choice.h"
#include "core/app/client_commands/starting_point.h"
#include "core/app/client_commands/table.h"
#include "core/client/offsets.h"
#include "core/client/topics.h"
#include "core/config/units.h"

namespace leat::app {
namespace {

using client::Cluster;
using json = nlohmann::ordered_json;
using sdk::Errc;
using sdk::Error;

struct ResetOptions {
    BrokerOption broker;
    std::string group;
    std::vector<std::string> topics;
    bool to_earliest = false;
    bool to_latest = false;
    std::optional<std::int64_t> to_offset;
    std::optional<std::int64_t> shift;
    std::optional<std::string> to_time;
    std::optional<std::string> by_duration;
    std::optional<std::string> from_file;
    bool execute = false;
    bool json = false;
};

struct ResetPartition {
    std::string topic;
    std::int32_t partition = 0;
    std::optional<std::int64_t> committed;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t target = 0;
};
using Plan = std::vector<ResetPartition>;

// Milliseconds since 1970 of --to-time or --by-duration; nothing: neither is there.
sdk::Result<std::optional<std::int64_t>> time_of(const ResetOptions& options) {
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    if (options.by_duration) {
        const auto duration = config::parse_duration(*options.by_duration);
        if (!duration) {
            return Error{
                Errc::invalid_argument,
                "--by-duration takes a duration like 10min, not `" + *options.by_duration + "`"};
        }
        return std::optional{std::max<std::int64_t>(0, now - duration->count())};
    }
    if (!options.to_time) return std::optional<std::int64_t>{};
    const auto point = parse_starting_point(*options.to_time, now);
    if (!point || point->kind != StartingPoint::Kind::time ||
        config::parse_duration(*options.to_time)) {
        return Error{Errc::invalid_argument,
                     "--to-time takes a time like 2026-01-31T12:00Z or @MILLISECONDS, not `" +
                         *options.to_time + "`"};
    }
    return std::optional{point->value};
}

sdk::Result<client::GroupOffsets> read_file(const std::string& path) {
    std::ifstream file{path};
    std::stringstream text;
    text << file.rdbuf();
    if (!file) return Error{Errc::io, "cannot read " + path};
    auto offsets = parse_offsets(text.str());
    if (!offsets) return Error{offsets.error().code, path + ": " + offsets.error().what};
    return offsets;
}

// Adds the partitions of `choice`, begins and ends filled in.
sdk::Status add_partitions(Cluster& cluster, const TopicChoice& choice,
                           const client::GroupOffsets& committed, Plan& plan) {
    const auto topic = client::find_topic(cluster, choice.topic);
    if (!topic) return topic.error();
    auto numbers = choice.partitions;
    const auto count = static_cast<std::int32_t>(topic->partitions.size());
    for (const auto number : numbers) {
        if (number < count) continue;
        return Error{Errc::not_found, "topic " + choice.topic + " has no partition " +
                                          std::to_string(number) + ": it has " +
                                          std::to_string(count)};
    }
    for (std::int32_t i = 0; choice.partitions.empty() && i < count; ++i) numbers.push_back(i);
    const auto begins = client::offsets_at(cluster, choice.topic, numbers, client::earliest);
    if (!begins) return begins.error();
    const auto ends = client::offsets_at(cluster, choice.topic, numbers, client::latest);
    if (!ends) return ends.error();
    for (const auto number : numbers) {
        ResetPartition each{.topic = choice.topic,
                            .partition = number,
                            .committed = std::nullopt,
                            .begin = begins->at(number),
                            .end = ends->at(number)};
        const auto known = committed.find(choice.topic);
        if (known != committed.end() && known->second.contains(number)) {
            each.committed = known->second.at(number);
        }
        plan.push_back(std::move(each));
    }
    return {};
}

// A time after the last record is the end.
sdk::Status aim_at_time(Cluster& cluster, std::int64_t time, Plan& plan) {
    for (ResetPartition& each : plan) {
        const auto found =
            client::offsets_at(cluster, each.topic, std::vector{each.partition}, time);
        if (!found) return found.error();
        const auto offset = found->at(each.partition);
        each.target = offset < 0 ? each.end : offset;
    }
    return {};
}

// Beyond what a log holds is its begin or end, as with Kafka's tool.
sdk::Status aim(const ResetOptions& options, const client::GroupOffsets& file, Plan& plan) {
    for (ResetPartition& each : plan) {
        std::int64_t wanted = options.to_latest ? each.end : each.begin;
        if (options.to_offset) wanted = *options.to_offset;
        if (options.from_file) wanted = file.at(each.topic).at(each.partition);
        if (options.shift) {
            if (!each.committed) {
                return Error{Errc::not_found, "--shift needs a committed offset, and " +
                                                  each.topic + "/" +
                                                  std::to_string(each.partition) + " has none"};
            }
            if (__builtin_add_overflow(*each.committed, *options.shift, &wanted)) {
                wanted = *options.shift < 0 ? each.begin : each.end;
            }
        }
        each.target = std::clamp(wanted, each.begin, std::max(each.begin, each.end));
    }
    return {};
}

sdk::Status refuse_members(Cluster& cluster, const std::string& group) {
    const auto found = client::describe_group(cluster, group);
    if (!found && found.error().code == Errc::not_found) return {};  // It begins with this.
    if (!found) return found.error();
    if (found->members.empty()) return {};
    return Error{Errc::conflict, "group " + group + " has members, " +
                                     std::to_string(found->members.size()) +
                                     " of them: stop them first, or they would go on as they do"};
}

void print_text(const ResetOptions& options, const Plan& plan) {
    Table table{{{"topic"},
                 {"partition", true},
                 {"begin", true},
                 {"end", true},
                 {"committed", true},
                 {"new", true}}};
    for (const auto& each : plan) {
        table.add({each.topic, std::to_string(each.partition), std::to_string(each.begin),
                   std::to_string(each.end), each.committed ? std::to_string(*each.committed) : "",
                   std::to_string(each.target)});
    }
    std::fputs(table.text().c_str(), stdout);
    std::printf("\n%s\n", options.execute ? "Done." : "Nothing is changed: --execute does it.");
}

void print_json(const ResetOptions& options, const Plan& plan) {
    json rows = json::array();
    for (const auto& each : plan) {
        rows.push_back({{"topic", each.topic},
                        {"partition", each.partition},
                        {"begin", each.begin},
                        {"end", each.end},
                        {"committed", each.committed ? json(*each.committed) : json()},
                        {"new", each.target}});
    }
    const json all{{"group", options.group}, {"executed", options.execute}, {"partitions", rows}};
    std::printf("%s\n", all.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

sdk::Result<std::vector<TopicChoice>> choices_of(const ResetOptions& options,
                                                 const client::GroupOffsets& file) {
    std::vector<TopicChoice> choices;
    for (const auto& text : options.topics) {
        auto choice = parse_topic_choice(text);
        if (!choice) return choice.error();
        if (std::ranges::find(choices, choice->topic, &TopicChoice::topic) != choices.end()) {
            return Error{Errc::invalid_argument, "--topic names " + choice->topic + " twice"};
        }
        choices.push_back(std::move(*choice));
    }
    for (const auto& [topic, partitions] : file) {
        choices.push_back({.topic = topic, .partitions = {}});
        for (const auto& [number, offset] : partitions) choices.back().partitions.push_back(number);
    }
    return choices;
}

// Nothing, or what is wrong with the command line.
std::optional<Error> wrong_usage(const ResetOptions& options) {
    const int ways = options.to_earliest + options.to_latest + options.to_offset.has_value() +
                     options.shift.has_value() + options.to_time.has_value() +
                     options.by_duration.has_value() + options.from_file.has_value();
    if (ways != 1) {
        return Error{Errc::invalid_argument,
                     "say one of --to-earliest, --to-latest, --to-offset, --shift, --to-time, "
                     "--by-duration and --from-file"};
    }
    if (options.from_file.has_value() != options.topics.empty()) {
        return Error{Errc::invalid_argument, options.from_file
                                                 ? "--from-file names the topics: no --topic"
                                                 : "name --topic, once or more"};
    }
    return std::nullopt;
}

sdk::Result<int> reset(Cluster& cluster, const ResetOptions& options) {
    if (const auto wrong = wrong_usage(options)) return say(*wrong), 2;
    client::GroupOffsets file;
    if (options.from_file) {
        auto read = read_file(*options.from_file);
        if (!read) return read.error();
        file = std::move(*read);
    }
    const auto choices = choices_of(options, file);
    if (!choices) return say(choices.error()), 2;
    const auto time = time_of(options);
    if (!time) return say(time.error()), 2;
    if (const auto status = refuse_members(cluster, options.group); !status) return status.error();
    const auto committed = client::committed_offsets(cluster, options.group);
    if (!committed) return committed.error();
    Plan plan;
    for (const auto& each : *choices) {
        const auto status = add_partitions(cluster, each, *committed, plan);
        if (!status) return status.error();
    }
    const auto aimed = *time ? aim_at_time(cluster, **time, plan) : aim(options, file, plan);
    if (!aimed) return aimed.error();
    if (options.execute) {
        client::GroupOffsets wanted;
        for (const auto& each : plan) wanted[each.topic][each.partition] = each.target;
        const auto status = client::commit_offsets(cluster, options.group, wanted);
        if (!status) return status.error();
    }
    options.json ? print_json(options, plan) : print_text(options, plan);
    return 0;
}

}  // namespace

void add_group_reset(CommandLine& line, CLI::App& group) {
    const auto options = std::make_shared<ResetOptions>();
    CLI::App& added = line.command(
        group, "reset",
        "Say where a group without members is to go on; with --execute, do it.\n"
        "  leat group reset shop --topic orders --to-earliest\n"
        "  leat group reset shop --topic orders:0,2 --to-time 2026-01-31T12:00Z --execute",
        [options] {
            return over_the_wire(options->broker,
                                 [&options](Cluster& cluster) { return reset(cluster, *options); });
        });
    options->broker.add_to(added);
    added.add_option("GROUP", options->group, "Id of the group")->required();
    added.add_option("--topic", options->topics, "TOPIC or TOPIC:PARTITION,...; may be repeated")
        ->type_size(1)
        ->allow_extra_args(false);
    added.add_flag("--to-earliest", options->to_earliest, "To the first record that is there");
    added.add_flag("--to-latest", options->to_latest, "Behind the last one");
    added.add_option("--to-offset", options->to_offset, "To this offset")
        ->check(CLI::Range(std::int64_t{0}, INT64_MAX));
    added.add_option("--shift", options->shift, "So many on from the committed one, or, -N, back");
    added.add_option("--to-time", options->to_time,
                     "To what is not older: 2026-01-31T12:00Z or @MILLISECONDS");
    added.add_option("--by-duration", options->by_duration, "The same, so long ago: 10min");
    added.add_option("--from-file", options->from_file,
                     "To those of its lines, topic,partition,offset; without --topic");
    added.add_flag("--execute", options->execute, "Commit these; else they are only said");
    added.add_flag("--json", options->json, "For programs");
}

}  // namespace leat::app
