// How long things took: counts in buckets that widen with the value, four to a power of two, so
// that what is read from it is at most a quarter too long. Recording is a shift and two additions.
//
//   2^12 ns = 4 us          2^13                  2^14  ...  2^36 ns = 69 s
//   all below |    |    |    |  |    |    |    |  |              | all above
//
// Threads    One writer and reader, its shard. A scrape copies it there and merges the copies.
// Memory     800 bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace leat::metrics {

class Histogram {
public:
    static constexpr int lowest_power = 12;
    static constexpr int highest_power = 36;
    static constexpr int parts_bits = 2;  // Of a power of two: four.
    static constexpr std::size_t parts = 1u << parts_bits;
    // The first holds all up to 2^lowest_power, the last all above 2^highest_power.
    static constexpr std::size_t bucket_count =
        2 + parts * static_cast<std::size_t>(highest_power - lowest_power);

    void record(std::chrono::nanoseconds took) {
        const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0));
        ++buckets_[bucket_of(ns)];
        sum_ns_ += ns;
    }

    void merge(const Histogram& other);

    std::uint64_t count() const;
    double sum_seconds() const { return static_cast<double>(sum_ns_) / 1e9; }

    // How many took at most 2^power ns, for a power from lowest_power to highest_power.
    std::uint64_t count_within(int power) const;

    // What a part `q` of all (0.99) took at most, as the upper end of its bucket; 0 of none. What
    // lies above all buckets is told as their end.
    std::chrono::nanoseconds quantile(double q) const;

private:
    // Upper ends belong to their bucket, as Prometheus has it.
    static std::size_t bucket_of(std::uint64_t ns) {
        const std::uint64_t before = ns == 0 ? 0 : ns - 1;
        const int power = static_cast<int>(std::bit_width(before)) - 1;
        if (power < lowest_power) return 0;
        if (power >= highest_power) return bucket_count - 1;
        const std::uint64_t part = (before >> (power - parts_bits)) & (parts - 1);
        return 1 + static_cast<std::size_t>(power - lowest_power) * parts +
               static_cast<std::size_t>(part);
    }
    static std::uint64_t end_of(std::size_t bucket);

    std::array<std::uint64_t, bucket_count> buckets_{};
    std::uint64_t sum_ns_ = 0;
};

}  // namespace leat::metrics
