// Loads a broker of Kafka's protocol with requests that are built once, from one thread, and tells
// what it cost.
//
//   load --broker 127.0.0.1:9092 --pid PID --call produce --connections 1 --in-flight 5
//        --records 100 --value 1024 --codec none --acks 1 --partitions 1 --seconds 5 --warm-up 1
//        (--call heartbeat, commit: each connection is the one member of a group of its own)
//        (--call fetch_session: idle sessions over all partitions, one fetch in flight each)
//        --topic NAME --configs flush.messages=1 --preload MB (for fetch) --most-mb MB --name ROW
//
// The last line of its output is one JSON object. Exit code 1: something failed, and it says what.
#include <sys/epoll.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>

#include "tests/bench/arguments.h"
#include "tests/bench/load_connection.h"

namespace leat::bench {
namespace {

struct Run {
    std::string broker;
    int pid = 0;
    int connections = 1;
    int partitions = 1;
    double seconds = 5;
    double warm_up = 1;
    NewTopic topic;
    LoadShape shape;
    int preload_mb = 256;
    int most_mb = 2000;  // Ends the measuring before its time, to spare the disk.
};

// Load without end until `until`; the totals are those of this stretch alone.
class Loader {
public:
    Loader(const Run& run, const LoadShape& shape, int connections)
        : epoll_{::epoll_create1(EPOLL_CLOEXEC)} {
        for (int i = 0; i < connections; ++i) {
            auto socket = dial(run.broker);
            if (!socket) {
                totals.fail("cannot connect");
                return;
            }
            LoadShape own = shape;
            if (shape.call == Call::heartbeat || shape.call == Call::commit) {
                own.member.group = run.topic.name + "-" + std::to_string(i);
                if (!join_alone(socket.get(), own.member)) {
                    totals.fail("a group could not be made");
                    return;
                }
            }
            const LoadConnection::Partitions partitions{i % run.partitions, connections,
                                                        run.partitions};
            connections_.push_back(std::make_unique<LoadConnection>(std::move(socket), own,
                                                                    run.topic.name, partitions));
            epoll_event event{};
            event.events = EPOLLIN | EPOLLOUT | EPOLLET;
            event.data.ptr = connections_.back().get();
            ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connections_.back()->socket(), &event);
        }
    }

    double run_for(double seconds, std::uint64_t most_bytes = ~0ull) {
        totals.latency = {};
        totals.requests = totals.records = totals.bytes = 0;
        const std::int64_t begun = now_ns();
        const std::int64_t until = begun + static_cast<std::int64_t>(seconds * 1e9);
        std::int64_t now = begun;
        for (auto& connection : connections_) connection->send(totals);
        while (now < until && totals.bytes < most_bytes && totals.failures == 0) {
            std::array<epoll_event, 256> events;
            const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), 100);
            for (int i = 0; i < count; ++i) {
                auto& one =
                    *static_cast<LoadConnection*>(events[static_cast<std::size_t>(i)].data.ptr);
                if ((events[static_cast<std::size_t>(i)].events & EPOLLIN) != 0) {
                    one.receive(totals);
                }
                one.send(totals);
            }
            now = now_ns();
        }
        return static_cast<double>(now - begun) / 1e9;
    }

    Totals totals;

private:
    net::Descriptor epoll_;
    std::vector<std::unique_ptr<LoadConnection>> connections_;
};

Run read(const Arguments& given) {
    Run run;
    run.broker = given.text("broker", "127.0.0.1:9092");
    run.pid = given.number("pid", 0);
    run.connections = given.number("connections", 1);
    run.partitions = given.number("partitions", 1);
    run.seconds = given.real("seconds", 5);
    run.warm_up = given.real("warm-up", 1);
    run.most_mb = given.number("most-mb", run.most_mb);
    run.preload_mb = given.number("preload", 256);
    const std::string call = given.text("call", "produce");
    run.shape.call = call == "fetch"           ? Call::fetch
                     : call == "fetch_session" ? Call::fetch_session
                     : call == "api_versions"  ? Call::api_versions
                     : call == "metadata"      ? Call::metadata
                     : call == "heartbeat"     ? Call::heartbeat
                     : call == "commit"        ? Call::commit
                                               : Call::produce;
    run.shape.session.partitions = run.partitions;
    run.shape.acks = static_cast<std::int16_t>(given.number("acks", 1));
    run.shape.in_flight = given.number("in-flight", 1);
    run.shape.batch.records = given.number("records", 100);
    run.shape.batch.value_bytes = given.number("value", 1024);
    const std::string codec = given.text("codec", "none");
    run.shape.batch.codec = codec == "lz4"    ? Codec::lz4
                            : codec == "zstd" ? Codec::zstd
                                              : Codec::none;
    run.shape.fetch.max_bytes = given.number("max-bytes", 1024 * 1024);
    run.topic.name = given.text("topic", "bench-" + std::to_string(now_ns()));
    run.topic.partitions = run.partitions;
    std::istringstream configs{given.text("configs", "")};
    for (std::string one; std::getline(configs, one, ',');) {
        const auto equals = one.find('=');
        run.topic.configs.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    }
    return run;
}

void print(const Run& run, const std::string& name, const Totals& totals, double seconds,
           double cpu) {
    const double gb = static_cast<double>(totals.bytes) / 1e9;
    const double raw = static_cast<double>(totals.records) * run.shape.batch.value_bytes / 1e9;
    const double requests = static_cast<double>(totals.requests);
    std::printf(
        "{\"row\":\"%s\",\"mb_s\":%.1f,\"requests_s\":%.0f,\"records_s\":%.0f,\"p50_us\":%.1f,"
        "\"p99_us\":%.1f,\"p999_us\":%.1f,\"max_us\":%.1f,\"cpu_s\":%.2f,\"cpu_s_per_gb\":%.3f,"
        "\"cpu_s_per_raw_gb\":%.3f,\"cpu_us_per_request\":%.2f,\"seconds\":%.2f}\n",
        name.c_str(), gb * 1000 / seconds, requests / seconds,
        static_cast<double>(totals.records) / seconds, totals.latency.percentile_us(50),
        totals.latency.percentile_us(99), totals.latency.percentile_us(99.9),
        totals.latency.most_us(), cpu, gb > 0 ? cpu / gb : 0, raw > 0 ? cpu / raw : 0,
        requests > 0 ? cpu * 1e6 / requests : 0, seconds);
}

int failed(const Totals& totals) {
    std::fprintf(stderr, "load: %s\n", totals.first_failure.c_str());
    return 1;
}

int measure(const Arguments& given) {
    const Run run = read(given);
    const auto control = dial(run.broker);
    if (!control) {
        std::fprintf(stderr, "load: cannot connect to %s\n", run.broker.c_str());
        return 1;
    }
    const bool needs_topic = run.shape.call != Call::api_versions;
    if (needs_topic && !prepare_topic(control.get(), run.topic)) return 1;
    if (run.shape.call == Call::fetch) {
        LoadShape filling = run.shape;
        filling.call = Call::produce;
        filling.in_flight = 5;
        Loader filler{run, filling, run.partitions};
        filler.run_for(120, static_cast<std::uint64_t>(run.preload_mb) * 1'000'000);
        if (filler.totals.failures != 0) return failed(filler.totals);
    }
    Loader loader{run, run.shape, run.connections};
    if (loader.totals.failures == 0) loader.run_for(run.warm_up);
    const double cpu_before = cpu_seconds(run.pid);
    const auto most = static_cast<std::uint64_t>(run.most_mb) * 1'000'000;
    const double seconds = loader.totals.failures == 0 ? loader.run_for(run.seconds, most) : 1;
    const double cpu = cpu_seconds(run.pid) - cpu_before;
    if (loader.totals.failures != 0) return failed(loader.totals);
    if (needs_topic && given.text("keep", "no") == "no") {
        ask(control.get(), delete_topic_v3(run.topic.name));
    }
    print(run, given.text("name", "row"), loader.totals, seconds, cpu);
    return 0;
}

}  // namespace
}  // namespace leat::bench

int main(int count, char** words) {
    return leat::bench::measure(leat::bench::Arguments{count, words});
}
