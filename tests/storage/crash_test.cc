// The engines that are durable, killed at every call that changes anything, and with every call
// failing once.
#include <cstdio>
#include <tuple>

#include "tests/storage/crash_script.h"

namespace leat::storage_test {
namespace {

constexpr int steps = 200;
constexpr unsigned seeds[] = {1, 2, 3};

std::uint64_t changes_of(Engine engine, unsigned seed) {
    CrashScript script{engine, seed};
    const std::uint64_t before = script.disk().changes();
    EXPECT_EQ(script.run(steps), steps);
    return script.disk().changes() - before;
}

class Crash : public ::testing::TestWithParam<std::tuple<Engine, World>> {
protected:
    const Engine engine_ = std::get<Engine>(GetParam());
    const World world_ = std::get<World>(GetParam());
};

std::string name_of(Engine engine) {
    return engine == Engine::mmap ? "Mmap" : "Segment";
}

TEST_P(Crash, AtEveryCallLosesNothingThatWasFlushedAndServesNothingTorn) {
    for (const unsigned seed : seeds) {
        const std::uint64_t changes = changes_of(engine_, seed);
        std::printf("seed %u: %llu places to die\n", seed,
                    static_cast<unsigned long long>(changes));
        for (std::uint64_t n = 1; n <= changes; ++n) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", change " + std::to_string(n));
            CrashScript script{engine_, seed};
            script.disk().die_at(n);
            script.run(steps);
            ASSERT_TRUE(script.disk().is_dead());
            ASSERT_TRUE(script.come_back(world_));
            script.expect_what_may_be_found();
            ASSERT_TRUE(script.come_back(world_));
            script.expect_what_may_be_found();
            script.expect_to_go_on();
            if (::testing::Test::HasFailure()) return;
        }
    }
}

TEST_P(Crash, InTheMiddleOfARecoveryIsRecoveredFromToo) {
    const std::uint64_t changes = changes_of(engine_, seeds[0]);
    for (std::uint64_t n = 1; n <= changes; n += 3) {
        bool died = true;
        for (std::uint64_t again = 1; died; ++again) {
            SCOPED_TRACE("change " + std::to_string(n) + ", then " + std::to_string(again));
            CrashScript script{engine_, seeds[0]};
            script.disk().die_at(n);
            script.run(steps);
            died = !script.come_back(world_, again);
            if (died) {
                ASSERT_TRUE(script.come_back(world_));
            }
            script.expect_what_may_be_found();
            if (::testing::Test::HasFailure()) return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Crash,
                         ::testing::Combine(::testing::Values(Engine::segment, Engine::mmap),
                                            ::testing::Values(World::all_written_survived,
                                                              World::only_synced_survived)),
                         [](const auto& one) {
                             const bool all =
                                 std::get<World>(one.param) == World::all_written_survived;
                             return name_of(std::get<Engine>(one.param)) +
                                    (all ? "AllWrittenSurvived" : "OnlySyncedSurvived");
                         });

class Failure : public ::testing::TestWithParam<std::tuple<Engine, int>> {};

TEST_P(Failure, OfEveryCallLosesNothingThatWasFlushed) {
    const unsigned seed = seeds[1];
    int failed = 0;
    for (std::uint64_t n = 1;; ++n) {
        SCOPED_TRACE("call " + std::to_string(n));
        CrashScript script{std::get<Engine>(GetParam()), seed};
        script.disk().fail_at(n, std::get<int>(GetParam()));
        const int done = script.run(steps);
        if (!script.disk().has_failed()) break;
        if (done < steps) {
            ++failed;
            script.expect_to_stand_after_failure();
        }
        const World world = n % 2 == 0 ? World::all_written_survived : World::only_synced_survived;
        ASSERT_TRUE(script.come_back(world));
        script.expect_what_may_be_found();
        script.expect_to_go_on();
        if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(failed, 100);
}

INSTANTIATE_TEST_SUITE_P(Each, Failure,
                         ::testing::Combine(::testing::Values(Engine::segment, Engine::mmap),
                                            ::testing::Values(EIO, ENOSPC)),
                         [](const auto& one) {
                             return name_of(std::get<Engine>(one.param)) +
                                    (std::get<int>(one.param) == EIO ? "Eio" : "Enospc");
                         });

}  // namespace
}  // namespace leat::storage_test
