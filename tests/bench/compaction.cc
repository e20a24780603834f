// Measures how fast a keyed log is compacted, and what a producer of something else notices of it:
// fills a topic that may not be compacted yet, lets it be, and waits until it is small, while one
// connection sends a record at a time to another topic.
//
//   compaction --broker 127.0.0.1:9092 --pid PID --mb 400 --keys 20000
//
// The last line of its output is one JSON object.
#include <sys/socket.h>

#include <cstdio>
#include <random>

#include "tests/bench/arguments.h"
#include "tests/bench/measure.h"

namespace leat::bench {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t patience = 180 * second;
constexpr std::int64_t between_looks = second / 50;
constexpr std::int64_t segment_bytes = 16 << 20;

class Measurement {
public:
    explicit Measurement(const Arguments& given)
        : megabytes_{given.number("mb", 400)},
          keys_{given.number("keys", 20'000)},
          pid_{given.number("pid", 0)},
          socket_{dial(given.text("broker", "127.0.0.1:9092"))} {}

    int run() {
        const std::vector<std::pair<std::string, std::string>> configs{
            {"cleanup.policy", "compact"},
            {"segment.bytes", std::to_string(segment_bytes)},
            {"min.cleanable.dirty.ratio", "0.01"},
            {"min.compaction.lag.ms", "9223372036854775807"}};
        if (!socket_ || !prepare_topic(socket_.get(), {keyed_, 1, configs})) return 1;
        if (!prepare_topic(socket_.get(), {other_, 1, {}}) || !fill()) return 1;
        const double cpu_before = cpu_seconds(pid_);
        const std::int64_t begun = now_ns();
        const Bytes altered =
            ask(socket_.get(), alter_config_v0(keyed_, "min.compaction.lag.ms", "0"));
        const std::int64_t ended = altered.empty() ? -1 : wait_until_small();
        const double cpu = cpu_seconds(pid_) - cpu_before;
        ask(socket_.get(), delete_topic_v3(keyed_));
        ask(socket_.get(), delete_topic_v3(other_));
        if (ended < 0) {
            std::fprintf(stderr, "compaction: it has not become small\n");
            return 1;
        }
        const double seconds = static_cast<double>(ended - begun) / 1e9;
        const double megabytes = static_cast<double>(filled_) / 1e6;
        std::printf(
            "{\"row\":\"compaction\",\"mb_s\":%.1f,\"cpu_s_per_gb\":%.3f,\"seconds\":%.2f,"
            "\"p50_us\":%.1f,\"p99_us\":%.1f,\"records\":%llu}\n",
            megabytes / seconds, cpu / megabytes * 1000, seconds, beside_.percentile_us(50),
            beside_.percentile_us(99), static_cast<unsigned long long>(beside_.total()));
        return 0;
    }

private:
    bool fill() {
        std::mt19937 random{7};
        while (filled_ < std::int64_t{megabytes_} * 1'000'000) {
            std::vector<std::string> keys(500);
            for (std::string& key : keys) {
                key = "key " + std::to_string(random() % static_cast<unsigned>(keys_));
            }
            const Bytes batch = keyed_batch(keys, 1000, static_cast<unsigned>(random()));
            if (produce_error(ask(socket_.get(), produce_v7({keyed_, 0}, 1, batch))) != 0) {
                std::fprintf(stderr, "compaction: it cannot be filled\n");
                return false;
            }
            filled_ += static_cast<std::int64_t>(batch.size());
        }
        return true;
    }
    // What stays: one record for each key, its share of a header, the segment that is written to.
    std::int64_t small() const { return std::int64_t{keys_} * 1040 + segment_bytes; }

    std::int64_t wait_until_small() {
        const Bytes frame = produce_v7({other_, 0}, 1, record_batch({1, 100, Codec::none}));
        const std::int64_t deadline = now_ns() + patience;
        std::int64_t look_at = now_ns();
        while (now_ns() < deadline) {
            const std::int64_t began = now_ns();
            if (produce_error(ask(socket_.get(), frame)) != 0) return -1;
            const std::int64_t now = now_ns();
            beside_.add(now - began);
            if (now < look_at) continue;
            look_at = now + between_looks;
            const auto size = log_bytes(ask(socket_.get(), describe_log_dirs_v1({keyed_, 0})));
            if (size > 0 && size <= small()) return now;
        }
        return -1;
    }

    const int megabytes_;
    const int keys_;
    const int pid_;
    const net::Descriptor socket_;
    const std::string keyed_ = "bench-keyed-" + std::to_string(now_ns());
    const std::string other_ = "bench-other-" + std::to_string(now_ns());
    std::int64_t filled_ = 0;
    Histogram beside_;
};

}  // namespace
}  // namespace leat::bench

int main(int count, char** words) {
    return leat::bench::Measurement{leat::bench::Arguments{count, words}}.run();
}
