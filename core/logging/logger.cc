#include "core/logging/logger.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/logging/adjustable_logger.h"
#include "core/logging/line.h"

namespace leat::logging {

namespace {

constexpr int patience_ms = 100;  // For a reader that stalls, once; none until it reads again.

// Writes whole lines to a descriptor, which it closes unless it is stderr.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit DescriptorSink(int descriptor) : descriptor_{descriptor} {}
    ~DescriptorSink() override {
        if (descriptor_ != STDERR_FILENO) ::close(descriptor_);
    }
    DescriptorSink(const DescriptorSink&) = delete;
    DescriptorSink& operator=(const DescriptorSink&) = delete;

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        std::string line{message.payload.data(), message.payload.size()};
        line += '\n';
        if (dropped_ > 0 && write_whole("(" + std::to_string(dropped_) +
                                        " lines were dropped: " + "nobody read them)\n"))
            dropped_ = 0;
        if (!write_whole(line)) ++dropped_;
    }
    void flush_() override {}

private:
    bool write_whole(std::string_view text) {
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

    const int descriptor_;
    std::uint64_t dropped_ = 0;
};

spdlog::level::level_enum spdlog_level(Level level) {
    switch (level) {
        case Level::debug:
            return spdlog::level::debug;
        case Level::info:
            return spdlog::level::info;
        case Level::warn:
            return spdlog::level::warn;
        case Level::error:
            return spdlog::level::err;
    }
    return spdlog::level::err;
}

class SpdlogLogger final : public AdjustableLogger {
public:
    SpdlogLogger(const LoggerOptions& options, int descriptor)
        : format_{options.format}, logger_{"leat", std::make_shared<DescriptorSink>(descriptor)} {
        logger_.set_level(spdlog_level(options.level));
    }

    void log(Level level, std::string_view event, std::span<const Field> fields) override {
        if (!keeps(level)) return;
        const auto now = std::chrono::system_clock::now();
        const std::string line = line_of(format_, now, level, event, fields);
        logger_.log(spdlog_level(level), spdlog::string_view_t{line.data(), line.size()});
    }

    bool keeps(Level level) const override { return logger_.should_log(spdlog_level(level)); }

    Level level() const override {
        for (const Level each : {Level::debug, Level::info, Level::warn}) {
            if (keeps(each)) return each;
        }
        return Level::error;
    }
    void keep_from(Level least) override { logger_.set_level(spdlog_level(least)); }

private:
    const Format format_;
    spdlog::logger logger_;  // Not registered: spdlog's global registry is not used.
};

}  // namespace

sdk::Result<std::unique_ptr<Logger>> open_logger(const LoggerOptions& options) {
    auto opened = open_adjustable_logger(options);
    if (!opened) return opened.error();
    return std::unique_ptr<Logger>{std::move(*opened)};
}

sdk::Result<std::unique_ptr<AdjustableLogger>> open_adjustable_logger(
    const LoggerOptions& options) {
    int descriptor = STDERR_FILENO;
    if (!options.file.empty()) {
        descriptor = ::open(options.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
        if (descriptor < 0)
            return sdk::Error{sdk::Errc::io, "cannot open the log file " + options.file.string() +
                                                 ": " + std::strerror(errno)};
    }
    return std::unique_ptr<AdjustableLogger>{std::make_unique<SpdlogLogger>(options, descriptor)};
}

}  // namespace leat::logging
