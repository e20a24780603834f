#include "core/wire/frame.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/wire/apis.h"
#include "core/wire/reader.h"

namespace leat::wire {
namespace {

template <class T>
void append(Buffer& out, T number) {
    const T wire = from_big_endian(number);
    const auto bytes = std::as_bytes(std::span{&wire, 1});
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void skip_tagged_fields(Reader& in) {
    const std::uint32_t count = in.uvarint();
    if (count > max_tagged_fields) return in.fail();
    for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
        in.uvarint();
        in.take(in.uvarint());
    }
}

// Not compact in any version, so that every broker can read the header of a newer ApiVersions.
std::optional<std::string_view> client_id(Reader& in) {
    const std::int64_t size = in.string_length(false);
    if (size < 0) return std::nullopt;
    if (static_cast<std::size_t>(size) > max_client_id_size) return in.fail(), std::nullopt;
    const std::string_view text = in.text(static_cast<std::size_t>(size));
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::ranges::any_of(text, control)) in.fail();
    return text;
}

bool flexible_request(ApiKey key, Version version) {
    const ApiDescription* api = describe(key);
    return api && api->request->flexible.contains(version);
}

// The header of ApiVersions stays at version 0: the client does not know yet what the broker
// speaks.
bool flexible_response(ApiKey key, Version version) {
    const ApiDescription* api = describe(key);
    return api && key != ApiKey::api_versions && api->response->flexible.contains(version);
}

sdk::Error not_served(const RequestHeader& header) {
    return {sdk::Errc::unsupported, "API " + std::to_string(static_cast<int>(header.key)) +
                                        " version " + std::to_string(header.version) +
                                        " is not known here"};
}

}  // namespace

Result<RequestHeader> parse_request(std::span<std::byte> frame) {
    Reader in{frame};
    RequestHeader header;
    header.key = static_cast<ApiKey>(in.number<std::int16_t>());
    header.version = in.number<std::int16_t>();
    header.correlation_id = in.number<std::int32_t>();
    if (in.failed()) return sdk::Error{sdk::Errc::corrupt, "a request of less than eight bytes"};

    const ApiDescription* api = describe(header.key);
    if (!api) return not_served(header);
    if (!api->request->versions.contains(header.version)) {
        if (header.key != ApiKey::api_versions) return not_served(header);
        header.readable = false;
        return header;
    }
    header.client_id = client_id(in);
    if (flexible_request(header.key, header.version)) skip_tagged_fields(in);
    if (in.failed()) return sdk::Error{sdk::Errc::corrupt, "a malformed request header"};
    header.body = frame.last(in.remaining());
    return header;
}

std::optional<RequestGlimpse> glimpse(std::span<const std::byte> frame) {
    Reader in{frame};
    RequestGlimpse seen;
    seen.key = static_cast<ApiKey>(in.number<std::int16_t>());
    seen.version = in.number<std::int16_t>();
    in.take(sizeof(std::int32_t));
    if (in.failed()) return std::nullopt;
    const auto id = client_id(in);
    if (!in.failed()) seen.client_id = id;
    return seen;
}

Result<ResponseHeader> parse_response(std::span<const std::byte> frame, ApiKey key,
                                      Version version) {
    Reader in{frame};
    ResponseHeader header{.correlation_id = in.number<std::int32_t>()};
    if (flexible_response(key, version)) skip_tagged_fields(in);
    if (in.failed()) return sdk::Error{sdk::Errc::corrupt, "a malformed response header"};
    header.body = in.rest();
    return header;
}

std::size_t begin_response(Buffer& out, ApiKey key, Version version, std::int32_t correlation_id) {
    const std::size_t begin = out.size();
    append(out, std::int32_t{0});
    append(out, correlation_id);
    if (flexible_response(key, version)) append(out, std::uint8_t{0});
    return begin;
}

std::size_t begin_request(Buffer& out, const RequestHeader& header) {
    const std::size_t begin = out.size();
    append(out, std::int32_t{0});
    append(out, static_cast<std::int16_t>(header.key));
    append(out, header.version);
    append(out, header.correlation_id);
    if (header.client_id) {
        const std::string_view id = header.client_id->substr(0, max_client_id_size);
        append(out, static_cast<std::int16_t>(id.size()));
        const auto bytes = std::as_bytes(std::span{id});
        out.insert(out.end(), bytes.begin(), bytes.end());
    } else {
        append(out, std::int16_t{-1});
    }
    if (flexible_request(header.key, header.version)) append(out, std::uint8_t{0});
    return begin;
}

Status finish_frame(Buffer& out, std::size_t begin, std::size_t bytes_beside) {
    const std::size_t size = out.size() - begin - frame_size_bytes + bytes_beside;
    if (size > INT32_MAX) return sdk::Error{sdk::Errc::limit, "a frame larger than 2 GiB"};
    const auto wire = from_big_endian(static_cast<std::int32_t>(size));
    std::memcpy(out.data() + begin, &wire, sizeof wire);
    return {};
}

}  // namespace leat::wire
