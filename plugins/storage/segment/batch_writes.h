// Batches gathered into few large writes.
#pragma once

#include <cstdint>
#include <span>

#include "leat/sdk/storage.h"
#include "open_files.h"

namespace leat::segment {

// Writes them one behind the other from position `at` on. Returns what a write answered that wrote
// nothing (-errno, or 0), else 1: then all of it is written.
std::int64_t write_batches(const OpenFile& file, std::uint64_t at,
                           std::span<const sdk::StampedBatch> batches);

}  // namespace leat::segment
