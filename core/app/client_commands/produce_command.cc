// leat produce: standard input, record by record, to a topic.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/app/client_commands/broker_option.h"
#include "core/app/client_commands/client_commands.h"
#include "core/app/client_commands/delimited_input.h"
#include "core/app/client_commands/escapes.h"
#include "core/app/client_commands/progress.h"
#include "core/app/client_commands/record_json.h"
#include "core/client/producer.h"

namespace leat::app {
namespace {

using client::OutgoingRecord;
using sdk::Errc;
using sdk::Error;

// How long a record waits for others to be sent with it.
constexpr std::chrono::milliseconds linger{5};
constexpr std::chrono::hours nothing_to_send{1};

struct ProduceOptions {
    BrokerOption broker;
    std::string topic;
    std::int32_t partition = -1;
    std::string key;
    std::string key_delimiter;
    std::string delimiter = "\\n";
    std::vector<std::string> headers;
    std::string codec = "none";
    std::string acks = "all";
    bool empty_is_null = false;
    bool json = false;
    bool quiet = false;
};

const std::map<std::string, std::int16_t> acks_values{{"all", -1}, {"1", 1}, {"0", 0}};

std::int64_t now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// What the options say of every record, made ready.
class RecordForm {
public:
    static sdk::Result<RecordForm> of(const ProduceOptions& options) {
        RecordForm form{options};
        auto delimiter = parse_delimiter("--delimiter", options.delimiter);
        if (!delimiter) return delimiter.error();
        form.delimiter_ = std::move(*delimiter);
        if (!options.key_delimiter.empty()) {
            auto between = parse_delimiter("--key-delimiter", options.key_delimiter);
            if (!between) return between.error();
            form.key_delimiter_ = std::move(*between);
        }
        for (const auto& text : options.headers) {
            const auto equals = text.find('=');
            if (equals == std::string::npos) {
                return Error{Errc::invalid_argument,
                             "--header takes NAME=VALUE, not `" + text + "`"};
            }
            form.headers_.emplace_back(text.substr(0, equals), text.substr(equals + 1));
        }
        return form;
    }

    const std::string& delimiter() const { return delimiter_; }

    sdk::Result<ParsedRecord> parse(std::string_view piece) const {
        ParsedRecord parsed;
        if (options_.json) {
            auto read = from_json(piece);
            if (!read) return read;
            parsed = std::move(*read);
        } else {
            const auto at =
                key_delimiter_.empty() ? std::string_view::npos : piece.find(key_delimiter_);
            if (at != std::string_view::npos) {
                parsed.record.key = field(piece.substr(0, at));
                piece.remove_prefix(at + key_delimiter_.size());
            } else if (!options_.key.empty()) {
                parsed.record.key = options_.key;
            }
            parsed.record.value = field(piece);
        }
        auto& headers = parsed.record.headers;
        headers.insert(headers.end(), headers_.begin(), headers_.end());
        parsed.record.timestamp = parsed.timestamp.value_or(now());
        if (options_.partition >= 0) parsed.partition = options_.partition;
        return parsed;
    }

private:
    explicit RecordForm(const ProduceOptions& options) : options_{options} {}

    std::optional<std::string> field(std::string_view bytes) const {
        if (options_.empty_is_null && bytes.empty()) return std::nullopt;
        return std::string{bytes};
    }

    const ProduceOptions& options_;
    std::string delimiter_;
    std::string key_delimiter_;
    std::vector<std::pair<std::string, std::optional<std::string>>> headers_;
};

sdk::Status send_input(client::Producer& producer, DelimitedInput& input, const RecordForm& form,
                       Progress& progress) {
    for (;;) {
        const bool waiting = producer.unacknowledged() > 0;
        const auto piece = input.next(waiting ? linger : nothing_to_send);
        if (!piece && piece.error().code == Errc::timed_out) {
            if (const auto sent = producer.flush(); !sent) return sent;
            progress.at(producer.acknowledged(), producer.bytes());
            continue;
        }
        if (!piece) return piece.error();
        if (!*piece) return producer.flush();
        auto parsed = form.parse(**piece);
        sdk::Status status;
        if (parsed) {
            status = producer.add(std::move(parsed->record), parsed->partition);
        } else {
            status = parsed.error();
        }
        if (!status && status.error().code == Errc::invalid_argument && !parsed) {
            const auto sent = producer.flush();  // Those before it are fine.
            if (!sent) return sent;
            return Error{Errc::invalid_argument,
                         "record " + std::to_string(input.pieces()) + ": " + status.error().what};
        }
        if (!status) return status;
        progress.at(producer.acknowledged(), producer.bytes());
    }
}

// Whoever feeds it has to know where to go on.
std::string with_what_was_sent(const std::string& what, const client::Producer& producer) {
    if (producer.acknowledged() + producer.unacknowledged() == 0) return what;
    std::string text = what + "; acknowledged: " + std::to_string(producer.acknowledged());
    if (producer.unacknowledged() > 0) {
        text += ", not known: " + std::to_string(producer.unacknowledged());
    }
    return text;
}

sdk::Result<int> produce(client::Cluster& cluster, const ProduceOptions& options) {
    const auto form = RecordForm::of(options);
    if (!form) return say(form.error()), 2;
    client::Producer producer{
        cluster,
        options.topic,
        {.codec = *compression::codec_named(options.codec), .acks = acks_values.at(options.acks)}};
    if (const auto status = producer.open(); !status) return status.error();
    DelimitedInput input{STDIN_FILENO, form->delimiter(), cluster.watch()};
    Progress progress{options.quiet, STDIN_FILENO};
    const auto status = send_input(producer, input, *form, progress);
    progress.clear();
    if (status) return progress.end(producer.acknowledged(), producer.bytes()), 0;
    if (status.error().code == Errc::closed) {
        if (producer.unacknowledged() > 0) say({.what = with_what_was_sent("stopped", producer)});
        return status.error();
    }
    return Error{status.error().code, with_what_was_sent(status.error().what, producer)};
}

}  // namespace

void add_produce_command(CommandLine& line) {
    const auto options = std::make_shared<ProduceOptions>();
    CLI::App& added = line.command(
        "produce",
        "Write what standard input holds to a topic, a record a line.\n"
        "  echo hello | leat produce greetings\n"
        "  leat produce orders -K : -z zstd < orders.txt",
        [options] {
            return over_the_wire(options->broker,
                                 [&options](client::Cluster& to) { return produce(to, *options); });
        });
    added.add_option("TOPIC", options->topic, "Its name")->required();
    options->broker.add_to(added);
    added
        .add_option("-p,--partition", options->partition, "Not as the key, or its absence, has it")
        ->check(CLI::Range(0, INT32_MAX));
    auto* key = added.add_option("-k,--key", options->key, "Of every record that has none");
    auto* between = added.add_option("-K,--key-delimiter", options->key_delimiter,
                                     "What stands between key and value");
    added.add_option("-D,--delimiter", options->delimiter, "What stands between records")
        ->capture_default_str();
    added
        .add_option("-H,--header", options->headers, "NAME=VALUE for every record; may be repeated")
        ->type_size(1)
        ->allow_extra_args(false);
    auto* empty =
        added.add_flag("-Z,--empty-is-null", options->empty_is_null,
                       "An empty key or value is null, which deletes in compacted topics");
    added
        .add_flag("--json", options->json,
                  "Each record is an object, as `leat consume --json` prints it")
        ->excludes(key)
        ->excludes(between)
        ->excludes(empty);
    added.add_option("-z,--codec", options->codec, "none, gzip, snappy, lz4 or zstd")
        ->capture_default_str()
        ->check(CLI::IsMember({"none", "gzip", "snappy", "lz4", "zstd"}));
    added.add_option("--acks", options->acks, "all in sync, 1 (the leader), or 0 (nobody)")
        ->capture_default_str()
        ->check(CLI::IsMember({"all", "1", "0"}));
    added.add_flag("-q,--quiet", options->quiet, "No progress on a terminal");
}

}  // namespace leat::app
