#include "core/wire/messages/find_coordinator.h"

#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

constexpr wire::Version first_batched = 4;  // KIP-699
constexpr const char* why = "Groups and transactions are not served yet.";

}  // namespace

// There is no coordinator to find yet. The API is here because librdkafka takes a broker that does
// not advertise it for one that cannot take lz4, and then sends uncompressed without a word.
void find_coordinator(Services&, Request request, Reply reply) {
    auto asked =
        wire::decode<wire::FindCoordinatorRequest>(request.header.body, request.header.version);
    if (!asked) return reply.close("FindCoordinator: " + asked.error().what);
    const auto error = wire::ErrorCode::coordinator_not_available;
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
