// In the place of logger.cc in a small program (LEAT_SMALL_PROGRAM): the same lines, no spdlog.
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "core/logging/adjustable_logger.h"
#include "core/logging/line.h"
#include "core/logging/line_output.h"

namespace leat::logging {

namespace {

class SmallLogger final : public AdjustableLogger {
public:
    SmallLogger(const LoggerOptions& options, LineOutput output)
        : format_{options.format}, least_{options.level}, output_{std::move(output)} {}

    void log(Level level, std::string_view event, std::span<const Field> fields) override {
        if (!keeps(level)) return;
        const auto now = std::chrono::system_clock::now();
        const std::string line = line_of(format_, now, level, event, fields);
        const std::lock_guard alone{writing_};
        output_.write(line);
    }

    bool keeps(Level level) const override { return level >= least_; }
    Level level() const override { return least_; }
    void keep_from(Level least) override { least_ = least; }

private:
    const Format format_;
    std::atomic<Level> least_;
    std::mutex writing_;  // As spdlog's sink has one: any thread may log.
    LineOutput output_;
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
        std::make_unique<SmallLogger>(options, std::move(*output))};
}

}  // namespace leat::logging
