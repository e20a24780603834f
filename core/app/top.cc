#include "core/app/top.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "core/app/metrics_snapshot.h"

namespace leat::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds interval{1};
constexpr std::size_t lines_above_topics = 24;  // With every API that is usual.

struct Look {
    MetricsSnapshot told;
    Clock::time_point at;
};

sdk::Result<Look> look(const BrokerAddress& broker) {
    const auto answer = ask_broker(broker, "GET /metrics");
    if (!answer) return answer.error();
    if (!answer.value().well) return sdk::Error{sdk::Errc::unavailable, answer.value().body};
    return Look{parse_metrics(answer.value().body), Clock::now()};
}

// As many as the terminal has room for.
std::size_t topics_shown() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row <= lines_above_topics) {
        return 10;
    }
    return size.ws_row - lines_above_topics;
}

int refuse(const sdk::Error& error) {
    std::fprintf(stderr, "leat: %s\n", error.what.c_str());
    return 1;
}

}  // namespace

int top(const TopCommand& asked) {
    auto before = look(asked.broker);
    if (!before) return refuse(before.error());
    const bool live = !asked.once && ::isatty(STDOUT_FILENO) == 1;
    constexpr const char* clear_screen = "\x1b[H\x1b[J";
    do {
        std::this_thread::sleep_for(interval);
        auto now = look(asked.broker);
        if (!now) return refuse(now.error());
        const std::chrono::duration<double> passed = now->at - before->at;
        const PageShape shape{.topics = live ? topics_shown() : 1000, .seconds = passed.count()};
        std::printf("%s%s", live ? clear_screen : "",
                    metrics_page(before->told, now->told, shape).c_str());
        std::fflush(stdout);
        before = std::move(now);
    } while (live);
    return 0;
}

}  // namespace leat::app
