// What ListOffsets should say of a log, worked out from the bytes that are stored: the slow and
// plain way, batch by batch, without any index.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/simulation/disk.h"

namespace leat::simulation {

struct FoundRecord {
    std::int64_t offset = -1;
    std::int64_t timestamp = -1;
    std::int32_t epoch = -1;

    bool operator==(const FoundRecord&) const = default;
};

// The first record below `end` that is not older than `target`.
std::optional<FoundRecord> first_not_older(const StoredLog& log, std::int64_t target,
                                           sdk::Offset end);

// The first record with the largest timestamp, for each end that the log had, batch by batch, from
// `least` to `most`. Absent where it was empty.
std::vector<std::optional<FoundRecord>> newest_between(const StoredLog& log, sdk::Offset least,
                                                       sdk::Offset most);

// The leader epoch of the first batch of the log; nothing if there is none.
std::optional<std::int32_t> first_epoch(const StoredLog& log);

}  // namespace leat::simulation
