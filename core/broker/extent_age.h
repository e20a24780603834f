// How old a log's active extent is, from the log itself: a restart must not make it young again.
#pragma once

#include <optional>

#include "core/log/partition_log.h"
#include "leat/sdk/storage.h"

namespace leat::broker {

// [worker] Of a log that nobody else uses yet. Reads the header of the extent's first batch, as
// Kafka does after a restart; `opened` is the wall clock. Errors are those of Log::read.
sdk::Result<log::ExtentAge> age_of(const std::optional<sdk::Extent>& active, sdk::Log& log,
                                   sdk::Timestamp opened);

}  // namespace leat::broker
