#include "core/app/client_commands/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace leat::app {
namespace {

constexpr std::size_t at_a_time = std::size_t{64} << 10;
constexpr std::chrono::hours look_again{1};

}  // namespace

Output::Output(client::Watch& watch) : watch_{watch} {
    watch_.stop_when(STDOUT_FILENO, 0);
}

sdk::Status Output::put(std::string_view bytes) {
    held_ += bytes;
    return held_.size() < at_a_time ? sdk::Status{} : flush();
}

sdk::Status Output::flush() {
    const std::string bytes = std::exchange(held_, {});
    for (std::string_view rest = bytes; !rest.empty();) {
        const auto size = ::write(STDOUT_FILENO, rest.data(), rest.size());
        if (size >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(size));
        } else if (errno == EPIPE) {
            return sdk::Error{sdk::Errc::closed, "nobody reads standard output"};
        } else if (errno == EINTR || errno == EAGAIN) {
            const auto ready =
                watch_.until_ready(STDOUT_FILENO, POLLOUT, client::SteadyClock::now() + look_again);
            if (!ready && ready.error().code == sdk::Errc::closed) return ready;
        } else {
            return sdk::Error{sdk::Errc::io, std::string{"cannot write to standard output: "} +
                                                 std::strerror(errno)};
        }
    }
    return {};
}

bool Output::abandoned() const {
    pollfd asked{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
    return ::poll(&asked, 1, 0) == 1 && (asked.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace leat::app
