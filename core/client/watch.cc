#include "core/client/watch.h"

#include <algorithm>
#include <climits>

namespace leat::client {
namespace {

sdk::Error is_over() {
    return {sdk::Errc::closed, "stopped"};
}

// Rounded up, so that a wait never ends just before its deadline and turns in a loop.
int milliseconds_until(SteadyClock::time_point deadline) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

}  // namespace

void Watch::stop_when(int descriptor, short events) {
    watched_.push_back({.fd = descriptor, .events = events, .revents = 0});
}

sdk::Status Watch::until_ready(int descriptor, short events, SteadyClock::time_point deadline) {
    watched_.push_back({.fd = descriptor, .events = events, .revents = 0});
    int ready = 0;
    do {
        ready = ::poll(watched_.data(), watched_.size(), milliseconds_until(deadline));
    } while (ready < 0 || (ready == 0 && SteadyClock::now() < deadline));  // EINTR: look again.
    const bool there = watched_.back().revents != 0;
    watched_.pop_back();
    const auto said = [](const pollfd& each) { return each.revents != 0; };
    if (std::ranges::any_of(watched_, said)) return is_over();
    if (!there) return sdk::Error{sdk::Errc::timed_out, "no answer in time"};
    return {};
}

sdk::Status Watch::pause(std::chrono::milliseconds duration) {
    // No descriptor is -1; poll() leaves it out.
    const auto status = until_ready(-1, 0, SteadyClock::now() + duration);
    if (!status && status.error().code == sdk::Errc::closed) return status.error();
    return {};
}

bool Watch::over() {
    return !pause(std::chrono::milliseconds{0});
}

}  // namespace leat::client
