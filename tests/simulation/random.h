// The one source of chance of a simulated world: everything that is random comes from its seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

#include "leat/sdk/shard.h"

namespace leat::simulation {

class Random {
public:
    explicit Random(std::uint64_t seed) : words_{seed} {}

    std::uint64_t word() { return words_(); }
    std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : words_() % n; }
    bool chance(int per_thousand) {
        return per_thousand > 0 && below(1000) < static_cast<std::uint64_t>(per_thousand);
    }
    // Both ends included.
    sdk::Instant between(sdk::Instant least, sdk::Instant most) {
        return least + sdk::Instant{static_cast<std::int64_t>(
                           below(static_cast<std::uint64_t>((most - least).count()) + 1))};
    }

private:
    std::mt19937_64 words_;
};

}  // namespace leat::simulation
