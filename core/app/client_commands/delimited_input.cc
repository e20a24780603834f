#include "core/app/client_commands/delimited_input.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace leat::app {

sdk::Status DelimitedInput::read_more(client::SteadyClock::time_point deadline) {
    constexpr std::size_t at_a_time = std::size_t{64} << 10;
    if (held_.size() - begin_ > longest_piece) {
        return sdk::Error{sdk::Errc::limit,
                          "record " + std::to_string(pieces_ + 1) + " is longer than " +
                              std::to_string(longest_piece >> 20) + " MiB; is --delimiter right?"};
    }
    if (const auto ready = watch_.until_ready(descriptor_, POLLIN, deadline); !ready) return ready;
    if (begin_ > 0 && begin_ >= held_.size() / 2) {
        held_.erase(0, begin_);
        searched_ -= begin_;
        begin_ = 0;
    }
    const auto before = held_.size();
    held_.resize(before + at_a_time);
    const auto size = ::read(descriptor_, held_.data() + before, at_a_time);
    held_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (size < 0 && errno != EINTR && errno != EAGAIN) {
        return sdk::Error{sdk::Errc::io,
                          std::string{"cannot read the input: "} + std::strerror(errno)};
    }
    if (size == 0) ended_ = true;
    return {};
}

sdk::Result<std::optional<std::string_view>> DelimitedInput::next(std::chrono::milliseconds wait) {
    const auto deadline = client::SteadyClock::now() + wait;
    for (;;) {
        const auto found = held_.find(delimiter_, searched_);
        const bool last = found == std::string::npos && ended_;
        if (last && begin_ == held_.size()) return std::optional<std::string_view>{};
        if (found != std::string::npos || last) {
            const auto end = last ? held_.size() : found;
            const std::string_view piece{held_.data() + begin_, end - begin_};
            begin_ = searched_ = last ? end : end + delimiter_.size();
            ++pieces_;
            return std::optional{piece};
        }
        // The beginning of a delimiter may be there.
        searched_ = std::max(begin_, held_.size() - std::min(held_.size(), delimiter_.size() - 1));
        if (const auto status = read_more(deadline); !status) return status.error();
    }
}

}  // namespace leat::app
