// A crowd that means no good, for as long as standard input is open. What others notice of it is
// measured beside it (tests/bench/hostile.py).
//
//   crowd --broker 127.0.0.1:9092 --kind idle --many 10000     connects and says nothing
//   crowd ... --kind slow --many 1200      five of six begin a request and send a byte of it each
//                                          second, one asks for much and never reads
//   crowd ... --kind storm --many 5000     so many a second connect and reset
//
// Prints "there" once it is, and one JSON object at the end.
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "tests/bench/arguments.h"
#include "tests/bench/measure.h"

namespace leat::bench {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t begun_request = 1 << 20;
constexpr int most_unread = 60;  // Requests of 20 MiB, or of the names of 500 partitions, each.

class Crowd {
public:
    explicit Crowd(const Arguments& given)
        : broker_{given.text("broker", "127.0.0.1:9092")},
          kind_{given.text("kind", "idle")},
          many_{given.number("many", 1000)} {}

    int run() {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
        const bool slow = kind_ == "slow";
        if (slow && !prepare()) return 1;
        if (kind_ != "storm" && !connect(slow)) return 1;
        std::puts("there");
        std::fflush(stdout);
        const std::int64_t begun = now_ns();
        std::int64_t due = begun;
        const std::int64_t gap = kind_ == "storm" ? second / many_ : second;
        while (!over(due - now_ns())) {
            due += gap;
            if (kind_ == "storm") come_and_go();
            if (slow) one_byte_each();
        }
        const double seconds = static_cast<double>(now_ns() - begun) / 1e9;
        std::printf("{\"kind\":\"%s\",\"connections\":%zu,\"left\":%zu,\"resets_s\":%.0f}\n",
                    kind_.c_str(), sockets_.size(), left(), static_cast<double>(gone_) / seconds);
        return 0;
    }

private:
    // Waits so long; true: whoever started this wants its end.
    static bool over(std::int64_t wait_ns) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        const auto wait = wait_ns > 0 ? wait_ns : 0;
        const timespec timeout{wait / second, wait % second};
        return ::ppoll(&input, 1, &timeout, nullptr) > 0;
    }
    bool prepare() {
        const auto control = dial(broker_);
        if (!control || !prepare_topic(control.get(), {wide_, 500, {}}) ||
            !prepare_topic(control.get(), {large_, 1, {}})) {
            return false;
        }
        const Bytes batch = record_batch({1, 900'000, Codec::none});
        for (int i = 0; i < 20; ++i) {
            if (produce_error(ask(control.get(), produce_v7({large_, 0}, 1, batch))) != 0) {
                std::fprintf(stderr, "crowd: %s cannot be filled\n", large_.c_str());
                return false;
            }
        }
        return true;
    }
    bool connect(bool slow) {
        Bytes begun;  // Of a Produce; the rest of it never comes.
        begun = Writer{}.number(static_cast<std::int32_t>(begun_request)).raw(produce_head).take();
        Bytes names, records;
        for (int i = 0; i < most_unread; ++i) {
            names += metadata_v4({wide_});
            records += fetch_v11({large_, 0}, {.max_wait_ms = 0, .max_bytes = 20 << 20});
        }
        for (int i = 0; i < many_; ++i) {
            sockets_.push_back(dial(broker_));
            if (!sockets_.back()) {
                std::fprintf(stderr, "crowd: connection %d of %d is refused\n", i + 1, many_);
                return false;
            }
            if (!slow) continue;
            const bool reader = i % 6 == 0;
            const Bytes& said = !reader ? begun : i % 12 == 0 ? names : records;
            ::send(sockets_.back().get(), said.data(), said.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (!reader) senders_.push_back(sockets_.back().get());
        }
        return true;
    }
    void one_byte_each() {
        for (const int sender : senders_) ::send(sender, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    void come_and_go() {
        const auto one = dial(broker_);
        const linger at_once{1, 0};  // Closing then resets.
        if (!one) return;
        ::setsockopt(one.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        ++gone_;
    }
    std::size_t left() const {
        std::size_t open = 0;
        for (const auto& socket : sockets_) {
            pollfd one{socket.get(), POLLRDHUP, 0};
            open += ::poll(&one, 1, 0) == 0;
        }
        return open;
    }

    static constexpr std::string_view produce_head{"\0\0\0\x09\0\0\0\1\xff\xff", 10};
    const std::string broker_;
    const std::string kind_;
    const int many_;
    const std::string wide_ = "bench-wide-" + std::to_string(now_ns());
    const std::string large_ = "bench-large-" + std::to_string(now_ns());
    std::vector<net::Descriptor> sockets_;
    std::vector<int> senders_;
    std::int64_t gone_ = 0;
};

}  // namespace
}  // namespace leat::bench

int main(int count, char** words) {
    return leat::bench::Crowd{leat::bench::Arguments{count, words}}.run();
}
