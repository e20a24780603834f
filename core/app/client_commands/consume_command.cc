// leat consume: records of a topic to standard output.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/app/client_commands/broker_option.h"
#include "core/app/client_commands/client_commands.h"
#include "core/app/client_commands/escapes.h"
#include "core/app/client_commands/output.h"
#include "core/app/client_commands/progress.h"
#include "core/app/client_commands/record_json.h"
#include "core/app/client_commands/starting_point.h"
#include "core/client/consumer.h"
#include "core/client/offsets.h"
#include "core/client/topics.h"

namespace leat::app {
namespace {

using client::IncomingRecord;
using sdk::Errc;
using sdk::Error;

struct ConsumeOptions {
    BrokerOption broker;
    std::string topic;
    std::vector<std::int32_t> partitions;
    std::string from = "beginning";
    std::uint64_t count = 0;  // 0: all.
    bool exit_at_end = false;
    bool timestamps = false;
    bool offsets = false;
    bool headers = false;
    bool json = false;
    bool quiet = false;
    std::string key_delimiter;
    std::string delimiter = "\\n";
    std::string null;
};

// How a record is printed.
class Printed {
public:
    static sdk::Result<Printed> of(const ConsumeOptions& options) {
        Printed printed{options};
        auto delimiter = parse_delimiter("--delimiter", options.delimiter);
        if (!delimiter) return delimiter.error();
        printed.delimiter_ = std::move(*delimiter);
        if (!options.key_delimiter.empty()) {
            auto between = parse_delimiter("--key-delimiter", options.key_delimiter);
            if (!between) return between.error();
            printed.key_delimiter_ = std::move(*between);
        }
        return printed;
    }

    std::string text(const IncomingRecord& record) const {
        if (options_.json) return to_json(options_.topic, record) + "\n";
        std::string text;
        if (options_.timestamps) {
            text += (record.timestamp < 0 ? "-" : time_text(record.timestamp)) + "\t";
        }
        if (options_.offsets) {
            text += std::to_string(record.partition) + ":" + std::to_string(record.offset) + "\t";
        }
        if (options_.headers) text += headers(record) + "\t";
        if (!key_delimiter_.empty()) {
            text += field(record.record.key);
            text += key_delimiter_;
        }
        text += field(record.record.value);
        return text += delimiter_;
    }

private:
    explicit Printed(const ConsumeOptions& options) : options_{options} {}

    std::string_view field(const std::optional<std::span<const std::byte>>& bytes) const {
        if (!bytes) return options_.null;
        return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
    }
    std::string headers(const IncomingRecord& record) const {
        std::string text;
        wire::HeaderReader reader{record.record};
        while (const auto header = reader.next()) {
            if (!text.empty()) text += ",";
            text += header->key;
            text += "=";
            text += field(header->value);
        }
        return text;
    }

    const ConsumeOptions& options_;
    std::string delimiter_;
    std::string key_delimiter_;
};

std::uint64_t payload_of(const wire::Record& record) {
    return (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
}

// All of the topic, or those that were named.
sdk::Result<std::vector<std::int32_t>> partitions_of(client::Cluster& cluster,
                                                     const ConsumeOptions& options) {
    const auto topic = client::find_topic(cluster, options.topic);
    if (!topic) return topic.error();
    const auto count = static_cast<std::int32_t>(topic->partitions.size());
    std::vector<std::int32_t> all = options.partitions;
    for (std::int32_t i = 0; options.partitions.empty() && i < count; ++i) all.push_back(i);
    for (const auto partition : all) {
        if (partition < count) continue;
        return Error{Errc::invalid_argument, "topic " + options.topic + " has no partition " +
                                                 std::to_string(partition) + ", only 0 to " +
                                                 std::to_string(count - 1)};
    }
    return all;
}

sdk::Status assign(client::Consumer& consumer, client::Cluster& cluster,
                   const ConsumeOptions& options, const StartingPoint& from) {
    const auto partitions = partitions_of(cluster, options);
    if (!partitions) return partitions.error();
    const auto begins = offsets_of(from, cluster, options.topic, *partitions);
    if (!begins) return begins.error();
    std::map<std::int32_t, std::int64_t> ends;
    if (options.exit_at_end) {
        auto now = client::offsets_at(cluster, options.topic, *partitions, client::latest);
        if (!now) return now.error();
        ends = std::move(*now);
    }
    for (const auto& [partition, begin] : *begins) {
        const auto end = ends.find(partition);
        consumer.assign(partition, begin,
                        end == ends.end() ? std::nullopt : std::optional{end->second});
    }
    return {};
}

class Consumption {
public:
    Consumption(client::Cluster& cluster, const ConsumeOptions& options, const Printed& printed)
        : options_{options},
          printed_{printed},
          consumer_{cluster, options.topic},
          output_{cluster.watch()},
          progress_{options.quiet, STDOUT_FILENO} {}

    client::Consumer& consumer() { return consumer_; }

    // Until the end, the count, or an error; Errc::closed also when nobody reads any more.
    sdk::Status run() {
        client::Consumer::Take take = [this](const IncomingRecord& record) { return put(record); };
        for (bool going_on = true; going_on && !consumer_.done();) {
            const auto polled = consumer_.poll(take);
            if (!status_) return status_;
            if (const auto flushed = output_.flush(); !flushed) return flushed;
            if (!polled) return polled.error();
            going_on = *polled;
            for (const auto& each : consumer_.take_skipped()) say_skipped(each);
        }
        progress_.clear();
        progress_.end(records_, bytes_);
        return {};
    }

    // What is said of an error: nothing where the reader has seen enough.
    sdk::Result<int> code_of(const Error& error) {
        progress_.clear();
        if (error.code == Errc::closed && output_.abandoned()) return 0;
        return error;
    }

private:
    bool put(const IncomingRecord& record) {
        status_ = output_.put(printed_.text(record));
        if (!status_) return false;
        bytes_ += payload_of(record.record);
        progress_.at(++records_, bytes_);
        return records_ != options_.count;
    }
    void say_skipped(const client::Consumer::Skipped& skipped) {
        progress_.clear();
        say({.what = options_.topic + "/" + std::to_string(skipped.partition) + ": offsets " +
                     std::to_string(skipped.from) + " to " + std::to_string(skipped.to - 1) +
                     " were deleted before they were read"});
    }

    const ConsumeOptions& options_;
    const Printed& printed_;
    client::Consumer consumer_;
    Output output_;
    Progress progress_;
    sdk::Status status_;  // Of the output.
    std::uint64_t records_ = 0;
    std::uint64_t bytes_ = 0;
};

sdk::Result<int> consume(client::Cluster& cluster, const ConsumeOptions& options) {
    using namespace std::chrono;
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    const auto from = parse_starting_point(options.from, now);
    if (!from) return say(from.error()), 2;
    const auto printed = Printed::of(options);
    if (!printed) return say(printed.error()), 2;
    Consumption consumption{cluster, options, *printed};
    auto status = assign(consumption.consumer(), cluster, options, *from);
    if (status) status = consumption.run();
    if (status) return 0;
    return consumption.code_of(status.error());
}

void add_printing(CLI::App& added, ConsumeOptions& options) {
    auto* json = added.add_flag("--json", options.json,
                                "Each record as an object on a line of its own, nothing lost");
    const auto beside_json = [json](CLI::Option* option) { option->excludes(json); };
    beside_json(added.add_flag("-T,--timestamps", options.timestamps, "Before each, UTC"));
    beside_json(added.add_flag("-O,--offsets", options.offsets, "Before each, PARTITION:OFFSET"));
    beside_json(added.add_flag("-H,--headers", options.headers, "Before each, NAME=VALUE,..."));
    beside_json(added.add_option("-K,--key-delimiter", options.key_delimiter,
                                 "Keys too, and this between key and value"));
    beside_json(added.add_option("-D,--delimiter", options.delimiter, "What ends each record")
                    ->capture_default_str());
    beside_json(added.add_option("--null", options.null, "How null looks; empty if not given"));
    added.add_flag("-q,--quiet", options.quiet, "No progress on a terminal");
}

}  // namespace

void add_consume_command(CommandLine& line) {
    const auto options = std::make_shared<ConsumeOptions>();
    CLI::App& added = line.command(
        "consume",
        "Print the records of a topic, and go on as others come.\n"
        "  leat consume greetings --exit-at-end\n"
        "  leat consume orders --from 10min --json | jq .value",
        [options] {
            return over_the_wire(options->broker,
                                 [&options](client::Cluster& of) { return consume(of, *options); });
        });
    added.add_option("TOPIC", options->topic, "Its name")->required();
    options->broker.add_to(added);
    added.add_option("-p,--partition", options->partitions, "Only this one; may be repeated")
        ->type_size(1)
        ->allow_extra_args(false)
        ->check(CLI::Range(0, INT32_MAX));
    added
        .add_option("-o,--from", options->from,
                    "beginning, end, an offset, -N (before the end), 10min (ago), "
                    "2026-01-31T12:00Z, @MILLISECONDS")
        ->capture_default_str();
    added.add_option("-n,--count", options->count, "End after so many")
        ->check(CLI::Range(std::uint64_t{1}, UINT64_MAX));
    added.add_flag("-e,--exit-at-end", options->exit_at_end, "End where the topic ended at start");
    add_printing(added, *options);
}

}  // namespace leat::app
