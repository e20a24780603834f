// What this engine reads of a record batch: Kafka's format v2, big-endian (Kafka documentation,
// "Record Batch"). The CRC covers everything from `attributes` on, and so neither the base offset,
// the length, the leader epoch nor the magic.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace leat::segment {

template <class Number>
Number big_endian(std::span<const std::byte> bytes, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    }
    return static_cast<Number>(value);
}

struct BatchHeader {
    static constexpr std::size_t bytes = 61;
    static constexpr std::size_t length_starts_at = 12;  // What the length field counts.
    static constexpr std::size_t crc_covers_from = 21;
    static constexpr std::int8_t magic = 2;

    std::int64_t base = 0;
    std::int64_t next = 0;
    std::uint64_t size = 0;  // Header included.
    std::int32_t leader_epoch = -1;
    std::uint32_t crc = 0;
    std::int64_t max_timestamp = -1;

    // Nothing if the bytes (61 at least) cannot be the header of a batch, whatever follows.
    static std::optional<BatchHeader> parse(std::span<const std::byte> from) {
        const auto length = big_endian<std::int32_t>(from, 8);
        const auto last_delta = big_endian<std::int32_t>(from, 23);
        BatchHeader header;
        header.base = big_endian<std::int64_t>(from, 0);
        if (length < static_cast<std::int32_t>(bytes - length_starts_at)) return std::nullopt;
        if (big_endian<std::int8_t>(from, 16) != magic || last_delta < 0) return std::nullopt;
        if (header.base < 0 || header.base > INT64_MAX - last_delta - 1) return std::nullopt;
        header.next = header.base + last_delta + 1;
        header.size = static_cast<std::uint64_t>(length) + length_starts_at;
        header.leader_epoch = big_endian<std::int32_t>(from, 12);
        header.crc = big_endian<std::uint32_t>(from, 17);
        header.max_timestamp = big_endian<std::int64_t>(from, 35);
        return header;
    }
};

}  // namespace leat::segment
