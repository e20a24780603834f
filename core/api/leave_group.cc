#include "core/wire/messages/leave_group.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {

using wire::ErrorCode;
using wire::LeaveGroupResponse;

namespace {

constexpr wire::Version first_of_many = 3;  // KIP-345

}  // namespace

void leave_group(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto asked = wire::decode<wire::LeaveGroupRequest>(request.header.body, version);
    if (!asked) return reply.malformed(asked.error());
    if (version < first_of_many) asked->members = {{.member_id = asked->member_id}};
    const std::string group = asked->group_id;
    decide_at_coordinator<LeaveGroupResponse>(
        services, request.shard, group,
        [asked = std::move(*asked)](groups::Coordinator& machine, groups::Now now,
                                    groups::Effects& effects) {
            return machine.leave_group(asked, now, effects);
        },
        [version, reply = std::move(reply)](ErrorCode error, LeaveGroupResponse response) mutable {
            if (error != ErrorCode::none) response = {.error_code = error};
            if (version < first_of_many) {
                if (!response.members.empty()) {
                    response.error_code = response.members.front().error_code;
                }
                response.members.clear();
            }
            reply.answer(response);
        });
}

}  // namespace leat::api
