// Which versions of a message something belongs to.
#pragma once

#include <cstdint>

namespace leat::wire {

using Version = std::int16_t;

// Inclusive on both sides.
struct Versions {
    Version min = 0;
    Version max = INT16_MAX;

    constexpr bool contains(Version version) const { return min <= version && version <= max; }
    constexpr bool operator==(const Versions&) const = default;
};

constexpr Versions since(Version version) { return {version, INT16_MAX}; }
constexpr Versions until(Version version) { return {0, version}; }
constexpr Versions between(Version min, Version max) { return {min, max}; }
constexpr Versions always{};
constexpr Versions never{1, 0};

}  // namespace leat::wire
