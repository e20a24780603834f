#include "core/wire/messages/join_group.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {

using wire::ErrorCode;
using wire::JoinGroupResponse;

namespace {

constexpr wire::Version first_with_known_id = 4;      // KIP-394
constexpr wire::Version first_nullable_protocol = 7;  // KIP-559
constexpr wire::Version first_skipping = 9;           // KIP-814

}  // namespace

void join_group(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto asked = wire::decode<wire::JoinGroupRequest>(request.header.body, version);
    if (!asked) return reply.malformed(asked.error());
    const ParkedReply parked{std::move(reply)};
    const auto answer = [parked, version](ErrorCode error, JoinGroupResponse response) {
        if (error != ErrorCode::none) response = {.error_code = error};
        if (version < first_nullable_protocol && !response.protocol_name) {
            response.protocol_name.emplace();
        }
        parked.answer(response);
    };
    request.on_hurry([answer] { answer(ErrorCode::not_coordinator, {}); });
    groups::JoiningClient client{.client_id = std::string{request.header.client_id.value_or("")},
                                 .host = "/" + request.caller->remote.host,
                                 .must_bring_id = version >= first_with_known_id,
                                 .skips_assignment = version >= first_skipping};
    const std::string group = asked->group_id;
    ask_coordinator<JoinGroupResponse>(
        services, request.shard, group,
        [client = std::move(client), asked = std::move(*asked)](
            broker::GroupCoordinator& coordinator, auto give) mutable {
            coordinator.join_group(std::move(client), std::move(asked), std::move(give));
        },
        answer);
}

}  // namespace leat::api
