// For subcommands that report from the host's own lists, not by log lines.
#pragma once

#include <span>
#include <string_view>

#include "core/logging/logger.h"

namespace leat::app {

class SilentLogger final : public logging::Logger {
public:
    void log(logging::Level, std::string_view, std::span<const logging::Field>) override {}
    bool keeps(logging::Level) const override { return false; }
};

}  // namespace leat::app
