#include "core/wire/messages/find_coordinator.h"

#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

constexpr wire::Version first_batched = 4;      // KIP-699
constexpr wire::Version first_with_shares = 6;  // KIP-932

struct Refusal {
    wire::ErrorCode error = wire::ErrorCode::coordinator_not_available;
    const char* why = "Groups and transactions are not served yet.";
};

// Key types: 0 a group, 1 a transactional id, 2 a group with topic and partition that it shares.
Refusal refusal_for(std::int8_t key_type, wire::Version version) {
    const std::int8_t most = version >= first_with_shares ? 2 : 1;
    if (key_type >= 0 && key_type <= most) return {};
    return {wire::ErrorCode::invalid_request, "There is no coordinator for keys of this type."};
}

}  // namespace

// There is no coordinator to find yet. The API is here because librdkafka takes a broker that does
// not advertise it for one that cannot take lz4, and then sends uncompressed without a word.
void find_coordinator(Services&, Request request, Reply reply) {
    auto asked =
        wire::decode<wire::FindCoordinatorRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const auto [error, why] = refusal_for(asked->key_type, request.header.version);
    wire::FindCoordinatorResponse response;
    if (request.header.version < first_batched) {
        response = {.error_code = error, .error_message = why, .node_id = -1, .port = -1};
        return reply.answer(response);
    }
    for (std::string& key : asked->coordinator_keys)
        response.coordinators.push_back({.key = std::move(key),
                                         .node_id = -1,
                                         .port = -1,
                                         .error_code = error,
                                         .error_message = why});
    reply.answer(response);
}

}  // namespace leat::api
