// Measures from the moment in which a record should have been sent to the moment in which a
// consumer has it: one connection produces at a fixed rate, another one waits in long polls. The
// intended time travels in the record, so a broker that stalls is charged for every record that
// waited, sent or not (no coordinated omission).
//
//   latency --broker 127.0.0.1:9092 --pid PID --rate 1000 --seconds 10 --acks 1 --value 100
//
// The last line of its output is one JSON object.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tests/bench/arguments.h"
#include "tests/bench/measure.h"

namespace leat::bench {
namespace {

// A non-blocking socket with what could not be sent yet and what is not a whole frame yet.
class Pipe {
public:
    explicit Pipe(net::Descriptor socket) : socket_{std::move(socket)} {
        ::fcntl(socket_.get(), F_SETFL, ::fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
    }
    int socket() const { return socket_.get(); }
    void send(std::string_view frame) {
        out_ += frame;
        flush();
    }
    void flush() {
        while (!out_.empty()) {
            const ssize_t n = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
            if (n <= 0) return;
            out_.erase(0, static_cast<std::size_t>(n));
        }
    }
    // False: the broker closed it.
    template <class Take>
    bool receive(Take take) {
        std::array<char, 256 * 1024> bytes;
        const ssize_t n = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
        if (n == 0 || (n < 0 && errno != EAGAIN)) return false;
        if (n > 0) in_.append(bytes.data(), static_cast<std::size_t>(n));
        while (in_.size() >= 4) {
            const auto size = static_cast<std::size_t>(number_at(in_.data()));
            if (in_.size() < 4 + size) break;
            take(std::string_view{in_}.substr(4, size));
            in_.erase(0, 4 + size);
        }
        return true;
    }

private:
    net::Descriptor socket_;
    Bytes out_;
    Bytes in_;
};

class Probe {
public:
    Probe(const Arguments& given, const std::string& topic)
        : broker_{given.text("broker", "127.0.0.1:9092")},
          target_{topic, 0},
          shape_{1, given.number("value", 100), Codec::none},
          acks_{static_cast<std::int16_t>(given.number("acks", 1))},
          batch_{record_batch(shape_)},
          stamp_at_{value_position(shape_)},
          producer_{dial(broker_)},
          consumer_{dial(broker_)} {}

    // Latencies of records intended before `measured_from` are not counted.
    bool run(double rate, std::int64_t measured_from, std::int64_t until) {
        const auto epoll = watch();
        const auto gap = static_cast<std::int64_t>(1e9 / rate);
        std::int64_t due = now_ns() + gap;
        measured_from_ = measured_from;
        ask_for_more();
        const std::int64_t patience = 10'000'000'000;
        while (due < until || (taken_ < sent_ && now_ns() < until + patience)) {
            for (; due < until && due <= now_ns(); due += gap) produce(due);
            const std::int64_t wait = due < until ? std::max<std::int64_t>(due - now_ns(), 0)
                                                  : 100'000'000;
            const timespec timeout{wait / 1'000'000'000, wait % 1'000'000'000};
            std::array<epoll_event, 4> events;
            ::epoll_pwait2(epoll.get(), events.data(), events.size(), &timeout, nullptr);
            producer_.flush();
            if (!take_answers()) return false;
        }
        return taken_ == sent_;
    }

    std::uint64_t sent() const { return sent_; }
    Histogram histogram;
    std::string failure = "records were lost or late by ten seconds";

private:
    net::Descriptor watch() {
        net::Descriptor epoll{::epoll_create1(EPOLL_CLOEXEC)};
        for (const int socket : {producer_.socket(), consumer_.socket()}) {
            epoll_event event{};
            event.events = EPOLLIN;
            ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, socket, &event);
        }
        return epoll;
    }
    void produce(std::int64_t intended) {
        std::memcpy(batch_.data() + stamp_at_, &intended, sizeof intended);
        seal_batch(batch_);
        producer_.send(produce_v7(target_, acks_, batch_));
        ++sent_;
    }
    void ask_for_more() { consumer_.send(fetch_v11(target_, {.offset = next_})); }

    bool take_answers() {
        bool sound = producer_.receive([this](std::string_view answer) {
            if (const auto error = produce_error(answer); error != 0) {
                failure = "produce error " + std::to_string(error);
                failed_ = true;
            }
        });
        sound = sound && consumer_.receive([this](std::string_view answer) {
            const Fetched got = fetched(answer);
            if (got.error != 0) {
                failure = "fetch error " + std::to_string(got.error);
                failed_ = true;
                return;
            }
            take(got.batches);
            if (got.next_offset >= 0) next_ = got.next_offset;
            ask_for_more();
        });
        return sound && !failed_;
    }
    void take(std::string_view batches) {
        const std::int64_t now = now_ns();
        for (; batches.size() >= batch_.size(); batches.remove_prefix(batch_.size())) {
            std::int64_t intended = 0;
            std::memcpy(&intended, batches.data() + stamp_at_, sizeof intended);
            if (intended >= measured_from_) histogram.add(now - intended);
            ++taken_;
        }
    }

    std::string broker_;
    Target target_;
    BatchShape shape_;
    std::int16_t acks_;
    Bytes batch_;
    std::size_t stamp_at_;
    Pipe producer_;
    Pipe consumer_;
    std::int64_t next_ = 0;
    std::int64_t measured_from_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t taken_ = 0;
    bool failed_ = false;
};

int measure(const Arguments& given) {
    ::prctl(PR_SET_TIMERSLACK, 1);  // The kernel may otherwise be 50 us late on purpose.
    const auto control = dial(given.text("broker", "127.0.0.1:9092"));
    const std::string topic = given.text("topic", "latency-" + std::to_string(now_ns()));
    if (!control || !prepare_topic(control.get(), {topic, 1, {}})) return 1;
    const double rate = given.real("rate", 1000);
    const int pid = given.number("pid", 0);
    Probe probe{given, topic};
    const std::int64_t begun = now_ns();
    const auto warm_up = static_cast<std::int64_t>(given.real("warm-up", 1) * 1e9);
    const auto length = static_cast<std::int64_t>(given.real("seconds", 10) * 1e9);
    const double cpu_before = cpu_seconds(pid);
    const bool whole = probe.run(rate, begun + warm_up, begun + warm_up + length);
    const double cpu = cpu_seconds(pid) - cpu_before;
    ask(control.get(), delete_topic_v3(topic));
    if (!whole) std::fprintf(stderr, "latency: %s\n", probe.failure.c_str());
    const Histogram& seen = probe.histogram;
    std::printf("{\"row\":\"%s\",\"rate\":%.0f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,"
                "\"max_us\":%.1f,\"cpu_us_per_record\":%.1f,\"records\":%llu}\n",
                given.text("name", "latency").c_str(), rate, seen.percentile_us(50),
                seen.percentile_us(99), seen.percentile_us(99.9), seen.most_us(),
                cpu * 1e6 / static_cast<double>(std::max<std::uint64_t>(probe.sent(), 1)),
                static_cast<unsigned long long>(seen.total()));
    return whole ? 0 : 1;
}

}  // namespace
}  // namespace leat::bench

int main(int count, char** words) {
    return leat::bench::measure(leat::bench::Arguments{count, words});
}
