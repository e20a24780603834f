#include "core/logging/line_output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace leat::logging {

namespace {

constexpr int patience_ms = 100;  // For a reader that stalls, once; none until it reads again.

}  // namespace

sdk::Result<LineOutput> LineOutput::open(const std::filesystem::path& file) {
    if (file.empty()) return LineOutput{STDERR_FILENO};
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (descriptor < 0)
        return sdk::Error{sdk::Errc::io, "cannot open the log file " + file.string() + ": " +
                                             std::strerror(errno)};
    return LineOutput{descriptor};
}

LineOutput::LineOutput(LineOutput&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, STDERR_FILENO)}, dropped_{other.dropped_} {}

LineOutput::~LineOutput() {
    if (descriptor_ != STDERR_FILENO) ::close(descriptor_);
}

void LineOutput::write(std::string_view line) {
    std::string whole{line};
    whole += '\n';
    if (dropped_ > 0 &&
        write_whole("(" + std::to_string(dropped_) + " lines were dropped: nobody read them)\n"))
        dropped_ = 0;
    if (!write_whole(whole)) ++dropped_;
}

bool LineOutput::write_whole(std::string_view text) {
    pollfd ready{descriptor_, POLLOUT, 0};
    const bool writable = ::poll(&ready, 1, dropped_ > 0 ? 0 : patience_ms) == 1;
    // POLLERR: the reader is gone, and writing would raise SIGPIPE.
    if (!writable || (ready.revents & (POLLOUT | POLLERR)) != POLLOUT) return false;
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace leat::logging
