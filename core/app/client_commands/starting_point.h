// Where `leat consume --from` begins.
//
//   beginning, end      of each partition
//   17                  the offset
//   -5                  five records before the end
//   10min               what is not older than that
//   2026-01-31T12:00Z   a time, UTC: the date, or with hours and minutes, seconds, milliseconds
//   @1700000000000      the same in milliseconds since 1970
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/client/cluster.h"

namespace leat::app {

struct StartingPoint {
    enum class Kind { beginning, end, offset, before_end, time };
    Kind kind = Kind::beginning;
    std::int64_t value = 0;  // The offset, the number of records, or milliseconds since 1970.

    bool operator==(const StartingPoint&) const = default;
};

// `now` in milliseconds since 1970. Errc::invalid_argument for what is none of these.
sdk::Result<StartingPoint> parse_starting_point(std::string_view text, std::int64_t now);

// Partition -> offset. A time after the last record is the end.
sdk::Result<std::map<std::int32_t, std::int64_t>> offsets_of(
    const StartingPoint& point, client::Cluster& cluster, const std::string& topic,
    std::span<const std::int32_t> partitions);

// "2026-01-31T12:00:00.000Z".
std::string time_text(std::int64_t milliseconds);

}  // namespace leat::app
