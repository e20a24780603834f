#include "core/metrics/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace leat::metrics {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds power_of_two(int power) {
    return nanoseconds{std::int64_t{1} << power};
}

TEST(Histogram, KnowsNothingBeforeAnythingWasRecorded) {
    const Histogram histogram;
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_EQ(histogram.sum_seconds(), 0.0);
    EXPECT_EQ(histogram.quantile(0.99), nanoseconds{0});
}

TEST(Histogram, TheUpperEndOfABucketBelongsToItAsPrometheusHasIt) {
    for (int power = Histogram::lowest_power; power <= Histogram::highest_power; ++power) {
        Histogram at, above;
        at.record(power_of_two(power));
        above.record(power_of_two(power) + nanoseconds{1});
        EXPECT_EQ(at.count_within(power), 1u) << power;
        EXPECT_EQ(above.count_within(power), 0u) << power;
        if (power == Histogram::highest_power) break;
        EXPECT_EQ(above.count_within(power + 1), 1u) << power;
    }
}

TEST(Histogram, WhatIsNothingNegativeOrEndlessIsCountedAtTheEnds) {
    Histogram histogram;
    histogram.record(nanoseconds{0});
    histogram.record(nanoseconds{-5});  // A clock that was set back would say so.
    histogram.record(std::chrono::hours{5});
    EXPECT_EQ(histogram.count(), 3u);
    EXPECT_EQ(histogram.count_within(Histogram::lowest_power), 2u);
    EXPECT_EQ(histogram.count_within(Histogram::highest_power), 2u);
    EXPECT_EQ(histogram.sum_seconds(), 5.0 * 3600);
    EXPECT_EQ(histogram.quantile(1), power_of_two(Histogram::highest_power));
}

TEST(Histogram, AQuantileIsTheTrueOneOrUpToAQuarterMore) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937_64 random{seed};
    std::uniform_real_distribution<double> powers{13, 35};
    Histogram histogram;
    std::vector<std::int64_t> all(10'000);
    for (auto& each : all) {
        each = static_cast<std::int64_t>(std::pow(2.0, powers(random)));
        histogram.record(nanoseconds{each});
    }
    std::sort(all.begin(), all.end());
    for (const double q : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const auto rank = static_cast<std::size_t>(std::ceil(q * 10'000)) - 1;
        const auto told = histogram.quantile(q).count();
        EXPECT_GE(told, all[rank]) << q;
        EXPECT_LE(static_cast<double>(told), 1.25 * static_cast<double>(all[rank]) + 1) << q;
    }
}

TEST(Histogram, MergedOnesAreAsOneThatHeardAll) {
    Histogram one, other, all;
    for (int i = 1; i < 2000; ++i) {
        (i % 3 == 0 ? one : other).record(std::chrono::microseconds{i * i});
        all.record(std::chrono::microseconds{i * i});
    }
    one.merge(other);
    EXPECT_EQ(one.count(), all.count());
    EXPECT_EQ(one.sum_seconds(), all.sum_seconds());
    for (int power = Histogram::lowest_power; power <= Histogram::highest_power; ++power) {
        EXPECT_EQ(one.count_within(power), all.count_within(power)) << power;
    }
    EXPECT_EQ(one.quantile(0.5), all.quantile(0.5));
}

}  // namespace
}  // namespace leat::metrics
