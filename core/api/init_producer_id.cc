#include "core/wire/messages/init_producer_id.h"

#include "core/api/handlers.h"
#include "core/api/services.h"
#include "core/api/session.h"

namespace leat::api {

using wire::ErrorCode;

// For producers that are idempotent and no more. Ids come from blocks that the coordination store
// gives out once, so an answer is always a new id with epoch 0, also for a producer that brings its
// old one (KIP-360): without a transactional id nobody can tell whether it is still its own.
void init_producer_id(Services& services, Request request, Reply reply) {
    auto asked =
        wire::decode<wire::InitProducerIdRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    wire::InitProducerIdResponse refused{.producer_epoch = -1};
    if (asked->transactional_id) {
        refused.error_code = asked->transactional_id->empty()
                                 ? ErrorCode::invalid_request
                                 : ErrorCode::transactional_id_authorization_failed;
        return reply.answer(refused);
    }
    if ((asked->producer_id == -1) != (asked->producer_epoch == -1)) {
        refused.error_code = ErrorCode::invalid_request;
        return reply.answer(refused);
    }
    services.metadata.allocate_producer_id(
        services.shards.at(request.shard),
        [reply = std::move(reply)](broker::Metadata::ProducerId given) mutable {
            const bool failed = given.error != ErrorCode::none;
            reply.answer(wire::InitProducerIdResponse{
                .error_code = given.error,
                .producer_id = given.id,
                .producer_epoch = static_cast<std::int16_t>(failed ? -1 : 0)});
        });
}

}  // namespace leat::api
