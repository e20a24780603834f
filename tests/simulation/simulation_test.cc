// Runs many seeds. LEAT_SEEDS=5000 runs more of them, LEAT_SEED=17 one, with a readable trace.

#include "tests/simulation/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

namespace leat::simulation {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Simulation, KeepsEveryPromiseUnderEverySeed) {
    const std::uint64_t one = from_environment("LEAT_SEED", 0);
    const std::uint64_t first = one != 0 ? one : from_environment("LEAT_FIRST_SEED", 1);
    const std::uint64_t count = one != 0 ? 1 : from_environment("LEAT_SEEDS", 200);
    std::uint64_t records = 0;
    std::uint64_t offsets = 0;
    std::size_t topics = 0;
    int restarts = 0;
    double seconds = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const RunResult result = run(seed, one != 0);
        ASSERT_FALSE(result.violation)
            << *result.violation << "\nsee it: LEAT_SEED=" << seed << " simulation_test";
        records += result.records;
        offsets += result.offsets;
        topics += result.topics;
        restarts += result.restarts;
        seconds += result.virtual_seconds;
    }
    std::cout << "seeds " << first << " to " << first + count - 1 << ": " << records << " records, "
              << topics << " topics, " << offsets << " answers of ListOffsets, " << restarts
              << " starts, " << std::llround(seconds) << " virtual seconds\n";
}

TEST(Simulation, IsTheSameRunForTheSameSeed) {
    for (const std::uint64_t seed : {3, 8, 21, 55, 144}) {
        EXPECT_EQ(run(seed, false).trace, run(seed, false).trace) << "seed " << seed;
    }
}

}  // namespace
}  // namespace leat::simulation
