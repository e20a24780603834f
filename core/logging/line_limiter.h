// Keeps lines that clients can cause at will (a broken frame, a refused request) from filling the
// disk: at most so many a minute and key, then one line that says how many were left out.
//
//   if (const auto admitted = limiter.admit(address, shard.now()))
//       logger.log(Level::warn, "frame refused", {..., {"left_out", to_string(*admitted)}});
//
// Not shared between threads: one per shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "leat/sdk/shard.h"

namespace leat::logging {

class LineLimiter {
public:
    static constexpr std::size_t most_keys = 1000;  // Further ones share one allowance.

    explicit LineLimiter(std::uint32_t lines_per_minute) : lines_per_minute_{lines_per_minute} {}

    // Nothing: leave the line out. Else how many lines of this key were left out since the last
    // one that was admitted (0 for most).
    std::optional<std::uint64_t> admit(std::string_view key, sdk::Instant now);

private:
    struct Allowance {
        sdk::Instant since{};
        std::uint32_t used = 0;
        std::uint64_t left_out = 0;
    };

    void make_room(sdk::Instant now);
    Allowance& allowance_of(std::string_view key, sdk::Instant now);

    const std::uint32_t lines_per_minute_;
    std::map<std::string, Allowance, std::less<>> allowances_;
};

}  // namespace leat::logging
