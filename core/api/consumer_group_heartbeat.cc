#include "core/wire/messages/consumer_group_heartbeat.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {

using wire::ConsumerGroupHeartbeatResponse;
using wire::ErrorCode;

void consumer_group_heartbeat(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto asked = wire::decode<wire::ConsumerGroupHeartbeatRequest>(request.header.body, version);
    if (!asked) return reply.malformed(asked.error());
    groups::ConsumerClient client{.client_id = std::string{request.header.client_id.value_or("")},
                                  .host = "/" + request.caller->remote.host};
    const std::string group = asked->group_id;
    decide_at_coordinator<ConsumerGroupHeartbeatResponse>(
        services, request.shard, group,
        [client = std::move(client), asked = std::move(*asked), version](
            groups::Coordinator& machine, groups::Now now, groups::Effects& effects) {
            return machine.consumer_heartbeat(client, asked, version, now, effects);
        },
        [reply = std::move(reply)](ErrorCode error,
                                   ConsumerGroupHeartbeatResponse response) mutable {
            if (error != ErrorCode::none) response = {.error_code = error};
            reply.answer(response);
        });
}

}  // namespace leat::api
