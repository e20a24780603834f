#include "core/wire/messages/sync_group.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {

using wire::ErrorCode;
using wire::SyncGroupResponse;

namespace {

constexpr wire::Version first_with_protocol = 5;  // KIP-559

bool says_protocol(const wire::SyncGroupRequest& request) {
    return request.protocol_type && request.protocol_name;
}

}  // namespace

void sync_group(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto asked = wire::decode<wire::SyncGroupRequest>(request.header.body, version);
    if (!asked) return reply.malformed(asked.error());
    if (version >= first_with_protocol && !says_protocol(*asked)) {
        return reply.answer(
            SyncGroupResponse{.error_code = ErrorCode::inconsistent_group_protocol});
    }
    const ParkedReply parked{std::move(reply)};
    const auto answer = [parked](ErrorCode error, SyncGroupResponse response) {
        // While the group loads, nobody knows its generation: the member joins again.
        if (error == ErrorCode::coordinator_load_in_progress) {
            error = ErrorCode::rebalance_in_progress;
        }
        if (error != ErrorCode::none) response = {.error_code = error};
        parked.answer(response);
    };
    request.on_hurry([answer] { answer(ErrorCode::not_coordinator, {}); });
    const std::string group = asked->group_id;
    ask_coordinator<SyncGroupResponse>(
        services, request.shard, group,
        [asked = std::move(*asked)](broker::GroupCoordinator& coordinator, auto give) mutable {
            coordinator.sync_group(std::move(asked), std::move(give));
        },
        answer);
}

}  // namespace leat::api
