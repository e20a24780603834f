// Messages that carry no header are kept with their version, an int16, in front: the records of
// `__consumer_offsets`, and what consumers put into JoinGroup and SyncGroup. They belong to no API:
// their traits' key means nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/wire/codec.h"
#include "core/wire/reader.h"

namespace leat::wire {

template <Message T>
struct Versioned {
    Version version = 0;
    T message;

    bool operator==(const Versioned&) const = default;
};

// The version and what follows it. `of` is what the error is about.
inline Result<std::pair<Version, std::span<const std::byte>>> split_version(
    std::span<const std::byte> bytes, std::string_view of) {
    Reader in{bytes};
    const auto version = in.number<Version>();
    if (!in.failed()) return std::pair{version, in.rest()};
    return sdk::Error{sdk::Errc::corrupt, std::string{of} + " is too short for a version"};
}

// `prefix` is the version, but in the keys of records, where it is the record's type.
template <Message T>
Result<Buffer> encode_prefixed(Version prefix, const T& message, Version version) {
    const auto bits = static_cast<std::uint16_t>(prefix);
    Buffer bytes{static_cast<std::byte>(bits >> 8), static_cast<std::byte>(bits)};
    if (const Status status = encode(message, version, bytes); !status) return status.error();
    return bytes;
}

}  // namespace leat::wire
