// The headers around messages, and the size in front: KIP-482 and
// https://kafka.apache.org/protocol.html#protocol_messages
//
// A frame here is what follows the four bytes of size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/wire/api_key.h"
#include "core/wire/codec.h"
#include "core/wire/versions.h"
#include "leat/sdk/result.h"

namespace leat::wire {

inline constexpr std::size_t frame_size_bytes = 4;
// Longer client ids are refused; they end up in logs, metrics and quotas.
inline constexpr std::size_t max_client_id_size = 1024;

struct RequestHeader {
    ApiKey key{};
    Version version = 0;
    std::int32_t correlation_id = 0;
    std::optional<std::string_view> client_id;  // Printable: no control characters.
    // Of ApiVersions in a version that is not known, only the fields above `client_id` could be
    // read: answer in version 0 with UNSUPPORTED_VERSION (KIP-511).
    bool readable = true;
    std::span<std::byte> body;
};

// Views into the frame. Errc::unsupported for an API or version that is not in apis.h (Kafka closes
// the connection then), Errc::corrupt for everything else.
Result<RequestHeader> parse_request(std::span<std::byte> frame);

// As much of a request as can be said of one that parse_request() refuses: the client id stands in
// the same place in every header there is. Nothing if it is too short for that.
struct RequestGlimpse {
    ApiKey key{};
    Version version = 0;
    std::optional<std::string_view> client_id;
};
std::optional<RequestGlimpse> glimpse(std::span<const std::byte> frame);

struct ResponseHeader {
    std::int32_t correlation_id = 0;
    std::span<const std::byte> body;
};
Result<ResponseHeader> parse_response(std::span<const std::byte> frame, ApiKey key,
                                      Version version);

// Begins a frame at the end of `out`: four bytes for the size and the header. Append the body, then
// give what was returned to finish_frame, with the size of what is sent beside `out` (records).
std::size_t begin_response(Buffer& out, ApiKey key, Version version, std::int32_t correlation_id);
std::size_t begin_request(Buffer& out, const RequestHeader& header);
// Errc::limit when the frame would exceed 2 GiB, which its size cannot express.
Status finish_frame(Buffer& out, std::size_t begin, std::size_t bytes_beside = 0);

// Size, header and body. On failure `out` is as it was.
template <Message T>
Status append_response(const T& response, Version version, std::int32_t correlation_id,
                       Buffer& out) {
    const std::size_t begin = begin_response(out, T::traits.key, version, correlation_id);
    Status status = encode(response, version, out);
    if (status) status = finish_frame(out, begin);
    if (!status) out.resize(begin);
    return status;
}

template <Message T>
Status append_request(const T& request, Version version, std::int32_t correlation_id,
                      std::string_view client_id, Buffer& out) {
    const std::size_t begin = begin_request(out, {.key = T::traits.key,
                                                  .version = version,
                                                  .correlation_id = correlation_id,
                                                  .client_id = client_id});
    Status status = encode(request, version, out);
    if (status) status = finish_frame(out, begin);
    if (!status) out.resize(begin);
    return status;
}

}  // namespace leat::wire
