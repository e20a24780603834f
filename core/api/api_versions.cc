#include "core/wire/messages/api_versions.h"

#include "core/api/apis.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

constexpr std::string_view name_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";

// KIP-511: letters, digits, '.' and '-', beginning and ending with a letter or digit.
bool legal_software_name(std::string_view name) {
    constexpr auto alphanumeric = [](char c) { return c != '.' && c != '-'; };
    return !name.empty() && name.find_first_not_of(name_characters) == std::string_view::npos &&
           alphanumeric(name.front()) && alphanumeric(name.back());
}

wire::ApiVersionsResponse all_served() {
    wire::ApiVersionsResponse response;
    for (const Api& api : served_apis()) {
        response.api_keys.push_back({.api_key = static_cast<std::int16_t>(api.key),
                                     .min_version = api.advertised.min,
                                     .max_version = api.advertised.max});
    }
    return response;
}

}  // namespace

void api_versions(Services&, Request request, Reply reply) {
    const Api& self = *find_api(wire::ApiKey::api_versions);
    if (!request.header.readable || !self.served.contains(request.header.version)) {
        // In version 0, which every client reads (KIP-511).
        auto response = all_served();
        response.error_code = wire::ErrorCode::unsupported_version;
        reply.count(response.error_code);
        wire::Buffer bytes;
        const auto status =
            wire::append_response(response, 0, request.header.correlation_id, bytes);
        return status ? reply.answer_bytes(std::move(bytes)) : reply.close(status.error().what);
    }
    auto asked =
        wire::decode<wire::ApiVersionsRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    if (request.header.version >= 3 && (!legal_software_name(asked->client_software_name) ||
                                        !legal_software_name(asked->client_software_version))) {
        wire::ApiVersionsResponse refused{.error_code = wire::ErrorCode::invalid_request};
        return reply.answer(refused);
    }
    if (request.header.version >= 3) {
        reply.software(asked->client_software_name, asked->client_software_version);
    }
    reply.answer(all_served());
}

}  // namespace leat::api
