// ListOffsets: where the partitions of a topic begin and end, and which offset a time has.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "core/client/cluster.h"

namespace leat::client {

// In the place of a timestamp.
inline constexpr std::int64_t latest = -1;  // One above the last record that consumers see.
inline constexpr std::int64_t earliest = -2;

// Partition -> the offset of its first record that is not older than `timestamp` (milliseconds
// since 1970), -1 where none is. Asks each leader, refreshing metadata and asking again while
// leaders move. `committed`: `latest` is then the last stable offset, below open transactions.
sdk::Result<std::map<std::int32_t, std::int64_t>> offsets_at(
    Cluster& cluster, const std::string& topic, std::span<const std::int32_t> partitions,
    std::int64_t timestamp, bool committed = false);

}  // namespace leat::client
