// What every measuring tool needs: a clock, a histogram of latencies, the CPU time of the broker's
// process, a blocking connection for what comes before the measuring.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/net/descriptor.h"
#include "tests/bench/kafka_frames.h"

namespace leat::bench {

std::int64_t now_ns();

// Within 1.6 percent of the true value.
class Histogram {
public:
    void add(std::int64_t ns) {
        const auto value = static_cast<std::uint64_t>(ns < 1 ? 1 : ns);
        const auto width = static_cast<unsigned>(std::bit_width(value));
        const unsigned shift = width > 7 ? width - 7 : 0;
        ++counts_[shift * 64 + static_cast<unsigned>(value >> shift)];
        ++total_;
        if (ns > most_) most_ = ns;
    }
    double percentile_us(double percent) const;
    double most_us() const { return static_cast<double>(most_) / 1000; }
    std::uint64_t total() const { return total_; }

private:
    std::array<std::uint64_t, 64 * 64> counts_{};
    std::uint64_t total_ = 0;
    std::int64_t most_ = 0;
};

// utime + stime of a process and all its threads; 0 for pid 0.
double cpu_seconds(int pid);

net::Descriptor dial(std::string_view host_and_port);
// Sends a whole frame and waits for its answer, which comes without its length.
Bytes ask(int socket, std::string_view frame);
// Creates the topic (it may exist) and waits until every partition has a leader that takes
// requests. False: it says why on stderr.
bool prepare_topic(int socket, const NewTopic& topic);

}  // namespace leat::bench
