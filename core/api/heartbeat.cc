#include "core/wire/messages/heartbeat.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {

using wire::ErrorCode;
using wire::HeartbeatResponse;

void heartbeat(Services& services, Request request, Reply reply) {
    auto asked = wire::decode<wire::HeartbeatRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const std::string group = asked->group_id;
    decide_at_coordinator<HeartbeatResponse>(
        services, request.shard, group,
        [asked = std::move(*asked)](groups::Coordinator& machine, groups::Now now,
                                    groups::Effects& effects) {
            return machine.heartbeat(asked, now, effects);
        },
        [reply = std::move(reply)](ErrorCode error, HeartbeatResponse response) mutable {
            // While it loads, a member is taken for alive.
            if (error == ErrorCode::coordinator_load_in_progress) error = ErrorCode::none;
            if (error != ErrorCode::none) response.error_code = error;
            reply.answer(response);
        });
}

}  // namespace leat::api
