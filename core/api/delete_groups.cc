#include "core/wire/messages/delete_groups.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {

using wire::DeleteGroupsResponse;
using wire::ErrorCode;
using Result = DeleteGroupsResponse::Result;

void delete_groups(Services& services, Request request, Reply reply) {
    auto asked =
        wire::decode<wire::DeleteGroupsRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    if (asked->groups_names.empty()) return reply.answer(DeleteGroupsResponse{});
    auto all = std::make_shared<GroupAnswers<Result>>(
        asked->groups_names.size(),
        [reply = std::move(reply)](std::vector<Result> results) mutable {
            DeleteGroupsResponse response;
            response.results = std::move(results);
            reply.answer(response);
        });
    for (std::size_t i = 0; i < asked->groups_names.size(); ++i) {
        const std::string& id = asked->groups_names[i];
        decide_at_coordinator<Result>(
            services, request.shard, id,
            [id](groups::Coordinator& machine, groups::Now, groups::Effects& effects) {
                return machine.delete_group(id, effects);
            },
            [all, i, id](ErrorCode error, Result result) {
                if (error != ErrorCode::none) result = {.group_id = id, .error_code = error};
                all->put(i, std::move(result));
            });
    }
}

}  // namespace leat::api
