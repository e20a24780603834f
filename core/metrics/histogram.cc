#include "core/metrics/histogram.h"

#include <cmath>
#include <numeric>

namespace leat::metrics {

void Histogram::merge(const Histogram& other) {
    for (std::size_t i = 0; i < bucket_count; ++i) buckets_[i] += other.buckets_[i];
    sum_ns_ += other.sum_ns_;
}

std::uint64_t Histogram::count() const {
    return std::accumulate(buckets_.begin(), buckets_.end(), std::uint64_t{0});
}

std::uint64_t Histogram::count_within(int power) const {
    const auto last =
        1 + static_cast<std::ptrdiff_t>(power - lowest_power) * static_cast<std::ptrdiff_t>(parts);
    return std::accumulate(buckets_.begin(), buckets_.begin() + last, std::uint64_t{0});
}

std::uint64_t Histogram::end_of(std::size_t bucket) {
    if (bucket == 0) return std::uint64_t{1} << lowest_power;
    if (bucket == bucket_count - 1) return std::uint64_t{1} << highest_power;
    const std::size_t power = (bucket - 1) / parts + lowest_power;
    const std::size_t part = (bucket - 1) % parts;
    return (parts + part + 1) << (power - parts_bits);
}

std::chrono::nanoseconds Histogram::quantile(double q) const {
    const std::uint64_t all = count();
    if (all == 0) return std::chrono::nanoseconds{0};
    const auto wanted = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(all))));
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    while (bucket < bucket_count - 1 && (seen += buckets_[bucket]) < wanted) ++bucket;
    return std::chrono::nanoseconds{end_of(bucket)};
}

}  // namespace leat::metrics
