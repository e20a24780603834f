// Writes what a partition keeps beside its log.
#pragma once

#include <span>

#include "core/log/partition_log.h"
#include "leat/sdk/storage.h"

namespace leat::broker {

// [worker] Writes `files` in their order, then removes those that are of no more use for a log that
// holds [begin, end).
sdk::Status store(sdk::SideFiles& side_files, std::span<const log::SideFile> files,
                  sdk::Offset begin, sdk::Offset end);

}  // namespace leat::broker
