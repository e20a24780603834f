// The librdkafka client of the matrix. README.md beside this file says what it is told and answers.
#include <librdkafka/rdkafka.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int patience_ms = 60'000;
constexpr std::size_t endure_in_flight = 200;

using Words = std::vector<std::string>;
using Settings = std::vector<std::pair<std::string, std::string>>;
using Text = std::optional<std::string>;

struct Record {
    std::int64_t timestamp = 0;
    Text key;
    Text value;
    std::vector<std::pair<std::string, Text>> headers;
};

// The one way to give up: a command that fails ends the program, and the driver starts another.
void expect(bool held, const std::string& why) {
    if (held) return;
    std::cout << "error " << why << std::endl;
    std::_Exit(1);
}

void expect(rd_kafka_resp_err_t code) {
    expect(!code, rd_kafka_err2name(code));
}

std::string hex(const void* data, std::size_t size) {
    static constexpr std::array<char, 17> digits{"0123456789abcdef"};
    std::string out = "x";
    for (std::size_t i = 0; i < size; ++i) {
        const auto byte = static_cast<const unsigned char*>(data)[i];
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

std::string hex_or_null(const void* data, std::size_t size) {
    return data ? hex(data, size) : "null";
}

Text unhex(const std::string& text) {
    if (text == "null") return std::nullopt;
    expect(!text.empty() && text[0] == 'x', "BAD_FIELD " + text);
    std::string out;
    for (std::size_t i = 1; i + 1 < text.size(); i += 2)
        out += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
    return out;
}

Words split(const std::string& line) {
    std::istringstream in(line);
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

Record parse_record(const std::string& line) {
    const Words words = split(line);
    expect(words.size() >= 3, "BAD_RECORD");
    Record record{std::stoll(words[0]), unhex(words[1]), unhex(words[2]), {}};
    for (std::size_t i = 3; i < words.size(); ++i) {
        const auto colon = words[i].find(':');
        record.headers.emplace_back(unhex(words[i].substr(0, colon)).value_or(""),
                                    unhex(words[i].substr(colon + 1)));
    }
    return record;
}

void print_message(const rd_kafka_message_t& message) {
    rd_kafka_timestamp_type_t type{};
    std::cout << "= " << message.offset << ' ' << rd_kafka_message_timestamp(&message, &type) << ' '
              << hex_or_null(message.key, message.key_len) << ' '
              << hex_or_null(message.payload, message.len);
    rd_kafka_headers_t* headers = nullptr;
    if (!rd_kafka_message_headers(&message, &headers)) {
        const char* name = nullptr;
        const void* value = nullptr;
        std::size_t size = 0;
        for (std::size_t i = 0; !rd_kafka_header_get_all(headers, i, &name, &value, &size); ++i)
            std::cout << ' ' << hex(name, std::string(name).size()) << ':'
                      << hex_or_null(value, size);
    }
    std::cout << '\n';
}

struct Destroy {
    void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
    void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
    void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
    void operator()(rd_kafka_event_t* event) const { rd_kafka_event_destroy(event); }
    void operator()(rd_kafka_topic_partition_list_t* list) const {
        rd_kafka_topic_partition_list_destroy(list);
    }
    void operator()(rd_kafka_message_t* message) const { rd_kafka_message_destroy(message); }
};
template <class Handle>
using Owned = std::unique_ptr<Handle, Destroy>;
using Partitions = Owned<rd_kafka_topic_partition_list_t>;

struct Delivery {
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
    std::int64_t offset = -1;
};
using Deliveries = std::vector<Delivery>;  // The opaque of each record is the slot it fills.

void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
    *static_cast<Delivery*>(message->_private) = {message->err, message->offset};
}

Owned<rd_kafka_t> open(rd_kafka_type_t type, const std::string& bootstrap, Settings settings) {
    settings.insert(settings.end(), {{"bootstrap.servers", bootstrap},
                                     {"reconnect.backoff.max.ms", "500"},
                                     {"log_level", "3"}});
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    std::array<char, 512> why{};
    for (const auto& [name, value] : settings)
        expect(!rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size()),
               why.data());
    if (type == RD_KAFKA_PRODUCER) rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    Owned<rd_kafka_t> client(rd_kafka_new(type, conf, why.data(), why.size()));
    expect(client != nullptr, why.data());
    return client;
}

void send(rd_kafka_t* client, const std::string& topic, int partition, const Record& record,
          Delivery* slot) {
    rd_kafka_headers_t* headers = rd_kafka_headers_new(record.headers.size());
    for (const auto& [name, value] : record.headers)
        rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()),
                            value ? value->data() : nullptr,
                            value ? static_cast<ssize_t>(value->size()) : 0);
    const auto size = [](const Text& text) { return text ? text->size() : 0; };
    const auto data = [](const Text& text) { return text ? text->data() : nullptr; };
    expect(rd_kafka_producev(
        client, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(partition),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_KEY(data(record.key), size(record.key)),
        RD_KAFKA_V_VALUE(const_cast<char*>(data(record.value)), size(record.value)),
        RD_KAFKA_V_TIMESTAMP(record.timestamp), RD_KAFKA_V_HEADERS(headers),
        RD_KAFKA_V_OPAQUE(slot), RD_KAFKA_V_END));
}

class Client {
public:
    explicit Client(std::string bootstrap) : bootstrap_(std::move(bootstrap)) {}

    void hello(const Words&) {
        std::cout << "= name librdkafka " << rd_kafka_version_str() << " (C++)\n"
                  << "= codecs none gzip snappy lz4 zstd\n"
                  << "= can create delete times null_headers idempotent\n";
    }

    void create(const Words& words) {
        std::array<char, 512> why{};
        auto* topic = rd_kafka_NewTopic_new(words.at(1).c_str(), std::stoi(words.at(2)), 1,
                                            why.data(), why.size());
        expect(topic != nullptr, why.data());
        for (std::size_t i = 3; i < words.size(); ++i) {
            const auto equals = words[i].find('=');
            rd_kafka_NewTopic_set_config(topic, words[i].substr(0, equals).c_str(),
                                         words[i].substr(equals + 1).c_str());
        }
        administer([&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
            rd_kafka_CreateTopics(client, &topic, 1, nullptr, queue);
            rd_kafka_NewTopic_destroy(topic);
        });
    }

    void remove(const Words& words) {
        auto* topic = rd_kafka_DeleteTopic_new(words.at(1).c_str());
        administer([&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
            rd_kafka_DeleteTopics(client, &topic, 1, nullptr, queue);
            rd_kafka_DeleteTopic_destroy(topic);
        });
    }

    void produce(const Words& words) {
        const auto client = open(RD_KAFKA_PRODUCER, bootstrap_,
                                 {{"compression.type", words.at(3)},
                                  {"acks", words.at(4)},
                                  {"enable.idempotence", words.at(5) == "1" ? "true" : "false"},
                                  {"linger.ms", "20"}});
        std::vector<Record> records;
        std::ifstream file(words.at(6));
        for (std::string line; std::getline(file, line);) records.push_back(parse_record(line));
        Deliveries deliveries(records.size(), {RD_KAFKA_RESP_ERR__TIMED_OUT, -1});
        for (std::size_t i = 0; i < records.size(); ++i)
            send(client.get(), words[1], std::stoi(words.at(2)), records[i], &deliveries[i]);
        rd_kafka_flush(client.get(), patience_ms);
        for (const Delivery& delivery : deliveries) expect(delivery.error);
    }

    void consume(const Words& words) {
        const auto topic = topic_of(words.at(1));
        const int partition = std::stoi(words.at(2));
        expect(!rd_kafka_consume_start(topic.get(), partition, std::stoll(words.at(3))), "START");
        std::string problem;
        for (int left = std::stoi(words.at(4)); left > 0 && problem.empty();) {
            const Owned<rd_kafka_message_t> message(
                rd_kafka_consume(topic.get(), partition, patience_ms / 2));
            if (!message)
                problem = "TIMED_OUT";
            else if (message->err && message->err != RD_KAFKA_RESP_ERR__PARTITION_EOF)
                problem = rd_kafka_err2name(message->err);
            else if (!message->err)
                print_message(*message), --left;
        }
        rd_kafka_consume_stop(topic.get(), partition);
        expect(problem.empty(), problem);
    }

    void member(const Words& words) {
        const auto client = open(RD_KAFKA_CONSUMER, bootstrap_,
                                 {{"group.id", words.at(1)},
                                  {"auto.offset.reset", "earliest"},
                                  {"enable.auto.commit", "false"},
                                  {"heartbeat.interval.ms", "500"},
                                  {"fetch.wait.max.ms", "200"}});
        const Partitions topics(rd_kafka_topic_partition_list_new(1));
        rd_kafka_topic_partition_list_add(topics.get(), words.at(2).c_str(), RD_KAFKA_PARTITION_UA);
        expect(rd_kafka_subscribe(client.get(), topics.get()));
        while (!std::filesystem::exists(words.at(3))) {
            const Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(client.get(), 200));
            if (!message) continue;
            expect(message->err);
            std::cout << "= " << message->partition << ' ' << message->offset << std::endl;
            // One that a rebalance overtakes fails: who owns the partition next reads this again.
            rd_kafka_commit_message(client.get(), message.get(), 0);
        }
        expect(rd_kafka_consumer_close(client.get()));
    }

    void time(const Words& words) {
        const Partitions list(rd_kafka_topic_partition_list_new(1));
        auto* asked = rd_kafka_topic_partition_list_add(list.get(), words.at(1).c_str(),
                                                        std::stoi(words.at(2)));
        asked->offset = std::stoll(words.at(3));
        expect(rd_kafka_offsets_for_times(consumer(), list.get(), patience_ms));
        expect(asked->err);
        std::cout << "= " << (asked->offset < 0 ? -1 : asked->offset) << '\n';
    }

    void too_large(const Words& words) {
        const auto client =
            open(RD_KAFKA_PRODUCER, bootstrap_, {{"message.max.bytes", "10000000"}});
        Record large{0, "large", std::string(std::stoul(words.at(3)), 'L'), {}};
        Record good{0, "good", "after the large one", {}};
        Deliveries deliveries(2, {RD_KAFKA_RESP_ERR__TIMED_OUT, -1});
        send(client.get(), words[1], std::stoi(words.at(2)), large, &deliveries[0]);
        rd_kafka_flush(client.get(), patience_ms);
        std::cout << "= " << rd_kafka_err2name(deliveries[0].error) << '\n';
        send(client.get(), words[1], std::stoi(words[2]), good, &deliveries[1]);
        rd_kafka_flush(client.get(), patience_ms);
        expect(deliveries[1].error);
    }

    void endure(const Words& words) {
        const bool once = words.at(4) == "1";
        const auto client = open(RD_KAFKA_PRODUCER, bootstrap_,
                                 {{"acks", "all"},
                                  {"enable.idempotence", once ? "true" : "false"},
                                  {"linger.ms", "5"},
                                  {"message.timeout.ms", "90000"}});
        Deliveries deliveries(std::stoul(words.at(3)), {RD_KAFKA_RESP_ERR__TIMED_OUT, -1});
        for (std::size_t i = 0; i < deliveries.size(); ++i) {
            const std::string text = std::to_string(i);
            send(client.get(), words[1], std::stoi(words.at(2)), {0, text, "endure " + text, {}},
                 &deliveries[i]);
            while (rd_kafka_outq_len(client.get()) > static_cast<int>(endure_in_flight))
                rd_kafka_poll(client.get(), 100);
            rd_kafka_poll(client.get(), 2);
            if (i % 100 == 99) std::cout << "= progress " << i + 1 << std::endl;
        }
        rd_kafka_flush(client.get(), patience_ms + patience_ms / 2);
        for (std::size_t i = 0; i < deliveries.size(); ++i)
            if (!deliveries[i].error)
                std::cout << "= acked " << i << ' ' << deliveries[i].offset << '\n';
            else
                std::cout << "= failed " << i << ' ' << rd_kafka_err2name(deliveries[i].error)
                          << '\n';
    }

private:
    rd_kafka_t* consumer() {
        if (!consumer_)
            consumer_ = open(RD_KAFKA_CONSUMER, bootstrap_,
                             {{"check.crcs", "true"}, {"fetch.wait.max.ms", "200"}});
        return consumer_.get();
    }

    Owned<rd_kafka_topic_t> topic_of(const std::string& name) {
        return Owned<rd_kafka_topic_t>(rd_kafka_topic_new(consumer(), name.c_str(), nullptr));
    }

    void administer(const std::function<void(rd_kafka_t*, rd_kafka_queue_t*)>& ask) {
        const auto client = open(RD_KAFKA_PRODUCER, bootstrap_, {});
        const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(client.get()));
        ask(client.get(), queue.get());
        const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), patience_ms));
        expect(event != nullptr, "TIMED_OUT");
        expect(rd_kafka_event_error(event.get()));
        std::size_t count = 0;
        const auto* created = rd_kafka_event_CreateTopics_result(event.get());
        const auto* removed = rd_kafka_event_DeleteTopics_result(event.get());
        const auto** topics = created ? rd_kafka_CreateTopics_result_topics(created, &count)
                                      : rd_kafka_DeleteTopics_result_topics(removed, &count);
        for (std::size_t i = 0; i < count; ++i) expect(rd_kafka_topic_result_error(topics[i]));
    }

    std::string bootstrap_;
    Owned<rd_kafka_t> consumer_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: rdkafka_client HOST:PORT < commands\n";
        return 2;
    }
    const std::map<std::string, void (Client::*)(const Words&)> commands{
        {"hello", &Client::hello},         {"create", &Client::create},
        {"delete", &Client::remove},       {"produce", &Client::produce},
        {"consume", &Client::consume},     {"time", &Client::time},
        {"too_large", &Client::too_large}, {"endure", &Client::endure},
        {"member", &Client::member},
    };
    Client client(argv[1]);
    for (std::string line; std::getline(std::cin, line);) {
        const Words words = split(line);
        if (words.empty()) continue;
        const auto found = commands.find(words[0]);
        expect(found != commands.end(), "UNKNOWN_COMMAND");
        (client.*found->second)(words);
        std::cout << "ok" << std::endl;
    }
}
