// A logger whose least level changes while it is used: a running broker's.
#pragma once

#include <memory>

#include "core/logging/logger.h"

namespace leat::logging {

class AdjustableLogger : public Logger {
public:
    // [any thread]
    virtual Level level() const = 0;  // The least that is kept.
    virtual void keep_from(Level least) = 0;
};

// As open_logger().
sdk::Result<std::unique_ptr<AdjustableLogger>> open_adjustable_logger(const LoggerOptions& options);

}  // namespace leat::logging
