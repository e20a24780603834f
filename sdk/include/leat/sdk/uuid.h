// A 128-bit identity: of a topic, a directory, a cluster. All zero is "none".
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

namespace leat::sdk {

struct Uuid {
    std::array<std::uint8_t, 16> bytes{};

    constexpr bool is_zero() const { return *this == Uuid{}; }
    constexpr auto operator<=>(const Uuid&) const = default;
};

}  // namespace leat::sdk

template <>
struct std::hash<leat::sdk::Uuid> {
    std::size_t operator()(const leat::sdk::Uuid& uuid) const {
        // Topic ids are random, so any eight of their bytes are spread well already.
        std::uint64_t word = 0;
        std::memcpy(&word, uuid.bytes.data() + 8, sizeof word);
        return word;
    }
};
