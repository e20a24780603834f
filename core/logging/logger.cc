#include "core/logging/logger.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <mutex>
#include <utility>

#include "core/logging/adjustable_logger.h"
#include "core/logging/line.h"
#include "core/logging/line_output.h"

namespace leat::logging {

namespace {

class OutputSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit OutputSink(LineOutput output) : output_{std::move(output)} {}

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        output_.write({message.payload.data(), message.payload.size()});
    }
    void flush_() override {}

private:
    LineOutput output_;
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
    SpdlogLogger(const LoggerOptions& options, LineOutput output)
        : format_{options.format},
          logger_{"leat", std::make_shared<OutputSink>(std::move(output))} {
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
    auto output = LineOutput::open(options.file);
    if (!output) return output.error();
    return std::unique_ptr<AdjustableLogger>{
        std::make_unique<SpdlogLogger>(options, std::move(*output))};
}

}  // namespace leat::logging
