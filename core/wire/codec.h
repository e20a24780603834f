// Decodes and encodes every message from its field list (fields.h): one interpreter, no code per
// message. Produce and Fetch have faster ways (decode_fast, encode_fast in their headers, and
// fetch_frame.h), which leave out what the version has no place for.
//
// decode   A foreign frame can do no more than fail: every length is checked against the bytes that
//          are left, and what is decoded may use at most `decode_budget` bytes of memory, charged
//          before anything is allocated. Views point into the frame. Bytes after the message are
//          ignored, as Kafka ignores them.
// encode   Appends. Fails, naming the field, when a value has no place in the version (unless the
//          field is ignorable), when null is not allowed, and when a length does not fit; what was
//          appended is then taken back.
//
// Versions outside T::versions fail. Any thread; nothing is shared.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/wire/api_key.h"
#include "core/wire/fields.h"
#include "leat/sdk/result.h"

namespace leat::wire {

using sdk::Result;
using sdk::Status;
using Buffer = std::vector<std::byte>;

// What is known of a message beside its fields.
struct MessageTraits {
    std::string_view name;           // As Kafka's: "MetadataRequest".
    ApiKey key{};
    Versions versions;               // Those that can be decoded and encoded.
    Versions flexible = never;       // Compact lengths and tagged fields (KIP-482).
    std::span<const Field> (*fields)() = nullptr;
};

template <class T>
concept Message = requires {
    { T::traits } -> std::convertible_to<const MessageTraits&>;
};

// Memory that decoding a frame may use. Eight times, because honest requests need it: a topic name
// of three letters is five bytes on the wire and a std::string in memory.
inline constexpr std::size_t decode_budget(std::size_t frame_size) {
    return 8 * frame_size + std::size_t{64} * 1024;
}
// Tagged fields of one section, known or not. Kafka's messages have at most four.
inline constexpr std::uint32_t max_tagged_fields = 256;

// The same without the type: `message` is the struct that `traits` describes, when decoding a new
// one. Without `out` only the size is found.
Status decode_message(const MessageTraits& traits, std::span<const std::byte> frame,
                      Version version, void* message);
Status encode_message(const MessageTraits& traits, const void* message, Version version,
                      Buffer* out, std::size_t& size);

// Why the fast decoder of a message failed, in the words of the interpreter, which takes longer and
// knows the field.
template <Message T>
Status complaint_of(std::span<const std::byte> frame, Version version, Status status) {
    T again;
    const Status told = decode_message(T::traits, frame, version, &again);
    return told ? status : told;
}

template <Message T, class Frame>
Result<T> decode_as(Frame frame, Version version) {
    const auto into = [&](T& message) {
        if constexpr (requires { &T::decode_fast; }) {
            if (T::traits.versions.contains(version)) {
                const Status status = T::decode_fast(frame, version, message);
                return status ? status : complaint_of<T>(frame, version, status);
            }
        }
        return decode_message(T::traits, frame, version, &message);
    };
    T message;
    const Status status = into(message);
    if (!status) return status.error();
    return message;
}

template <Message T>
Result<T> decode(std::span<const std::byte> frame, Version version)
    requires(!requires { T::stamped_in_place; })
{
    return decode_as<T>(frame, version);
}

// For messages whose records the broker stamps where they lie in the frame.
template <Message T>
Result<T> decode(std::span<std::byte> frame, Version version)
    requires requires { T::stamped_in_place; }
{
    return decode_as<T>(frame, version);
}

template <Message T>
Status encode(const T& message, Version version, Buffer& out) {
    if constexpr (requires { &T::encode_fast; }) {
        if (T::traits.versions.contains(version)) return T::encode_fast(message, version, out);
    }
    std::size_t size = 0;
    return encode_message(T::traits, &message, version, &out, size);
}

// The length of what encode would append.
template <Message T>
Result<std::size_t> encoded_size(const T& message, Version version) {
    std::size_t size = 0;
    const Status status = encode_message(T::traits, &message, version, nullptr, size);
    if (!status) return status.error();
    return size;
}

}  // namespace leat::wire
