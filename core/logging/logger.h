// One structured line per event that matters to an operator:
//
//   2026-03-01T12:00:00.123Z info  topic created topic=orders partitions=3
//
//   logger.log(Level::info, "topic created", {{"topic", name}, {"partitions", "3"}});
//
// The event is a short constant sentence, what varies goes into fields, so that lines can be
// counted and searched. Field values may come from anybody: they are quoted, escaped and cut
// (line.h). Lines that a client can cause at will go through a LineLimiter first.
//
// Any thread may log. A line is written at once; if the reader of stderr stalls, a line waits for
// it a tenth of a second, then lines are dropped and counted until it reads again.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "leat/sdk/plugin_context.h"
#include "leat/sdk/result.h"

namespace leat::logging {

using Level = sdk::LogLevel;
using Field = sdk::LogField;  // key=value; the key is a constant in snake_case.

enum class Format { text, json };

class Logger {
public:
    virtual ~Logger() = default;

    virtual void log(Level level, std::string_view event, std::span<const Field> fields) = 0;

    // Whether a line of this level is kept: for lines whose fields are costly to make.
    virtual bool keeps(Level level) const = 0;

    void log(Level level, std::string_view event, std::initializer_list<Field> fields = {}) {
        log(level, event, std::span<const Field>{fields.begin(), fields.size()});
    }
};

struct LoggerOptions {
    Level level = Level::info;  // The least that is kept.
    Format format = Format::text;
    std::filesystem::path file;  // Appended to; empty is stderr.
};

sdk::Result<std::unique_ptr<Logger>> open_logger(const LoggerOptions& options);

}  // namespace leat::logging
