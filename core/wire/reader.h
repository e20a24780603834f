// Reads a frame from front to back. The first short or malformed read makes the reader fail, and it
// stays failed: later reads yield zeros and empty spans, so that decoding code needs one check, at
// its end. Nothing is copied; what it returns lies in the frame.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace leat::wire {

template <class T>
constexpr T from_big_endian(T value) {
    using Bits = std::make_unsigned_t<T>;
    const auto bits = static_cast<Bits>(value);
    if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(bits));
    if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(bits));
    if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(bits));
    return value;
}
static_assert(std::endian::native == std::endian::little, "swap nothing on a big-endian machine");

class Reader {
public:
    explicit Reader(std::span<const std::byte> frame) : rest_{frame} {}

    bool failed() const { return failed_; }
    std::size_t remaining() const { return rest_.size(); }
    std::span<const std::byte> rest() const { return rest_; }
    void fail() { failed_ = true, rest_ = {}; }

    std::span<const std::byte> take(std::size_t n) {
        if (n > rest_.size()) return fail(), std::span<const std::byte>{};
        const auto taken = rest_.first(n);
        rest_ = rest_.subspan(n);
        return taken;
    }

    template <class T>
        requires std::is_integral_v<T>
    T number() {
        const auto bytes = take(sizeof(T));
        T value{};
        if (bytes.size() == sizeof(T)) std::memcpy(&value, bytes.data(), sizeof(T));
        return from_big_endian(value);
    }

    // At most five bytes, at most 32 bits.
    std::uint32_t uvarint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 35; shift += 7) {
            const auto byte = number<std::uint8_t>();
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) {
                if (value > UINT32_MAX) break;
                return static_cast<std::uint32_t>(value);
            }
        }
        return fail(), 0;
    }

    // Lengths of strings (int16) and of everything else (int32); compact ones are one more than the
    // length, zero being null. Null is -1; every other negative length fails.
    std::int64_t string_length(bool compact) {
        return compact ? compact_length() : checked(number<std::int16_t>());
    }
    std::int64_t length(bool compact) {
        return compact ? compact_length() : checked(number<std::int32_t>());
    }

    std::string_view text(std::size_t n) {
        const auto bytes = take(n);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

private:
    std::int64_t compact_length() { return static_cast<std::int64_t>(uvarint()) - 1; }
    std::int64_t checked(std::int64_t length) {
        if (length < -1) return fail(), 0;
        return length;
    }

    std::span<const std::byte> rest_;
    bool failed_ = false;
};

}  // namespace leat::wire
