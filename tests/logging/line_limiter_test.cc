#include "core/logging/line_limiter.h"

#include <gtest/gtest.h>

namespace leat::logging {
namespace {

using std::chrono::seconds;

TEST(LineLimiter, AdmitsSoManyAMinuteAndThenSaysHowManyItLeftOut) {
    LineLimiter limiter{2};
    EXPECT_EQ(limiter.admit("a", seconds{1}), 0u);
    EXPECT_EQ(limiter.admit("a", seconds{2}), 0u);
    EXPECT_EQ(limiter.admit("a", seconds{3}), std::nullopt);
    EXPECT_EQ(limiter.admit("a", seconds{60}), std::nullopt);
    EXPECT_EQ(limiter.admit("b", seconds{60}), 0u) << "another key has its own allowance";
    EXPECT_EQ(limiter.admit("a", seconds{61}), 2u);
    EXPECT_EQ(limiter.admit("a", seconds{62}), 0u);
}

TEST(LineLimiter, HoldsNoMoreKeysThanItsLimitHoweverManyClientsCome) {
    LineLimiter limiter{1};
    for (std::size_t i = 0; i < LineLimiter::most_keys; ++i)
        EXPECT_EQ(limiter.admit("client-" + std::to_string(i), seconds{0}), 0u);
    EXPECT_EQ(limiter.admit("one more", seconds{1}), 0u);
    EXPECT_EQ(limiter.admit("another", seconds{1}), std::nullopt) << "it shares with the last";
    EXPECT_EQ(limiter.admit("later", seconds{61}), 0u) << "quiet keys have made room";
}

TEST(LineLimiter, NobodyFillsItForGoodByFailingTwiceUnderEachName) {
    LineLimiter limiter{1};
    for (std::size_t i = 0; i < LineLimiter::most_keys; ++i) {
        const auto name = "client-" + std::to_string(i);
        EXPECT_EQ(limiter.admit(name, seconds{0}), 0u);
        EXPECT_EQ(limiter.admit(name, seconds{0}), std::nullopt);
    }
    EXPECT_EQ(limiter.admit("another", seconds{61}), 0u);
    EXPECT_EQ(limiter.admit("a third", seconds{61}), 0u)
        << "each has an allowance of its own again";
}

}  // namespace
}  // namespace leat::logging
