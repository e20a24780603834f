#include "core/wire/messages/describe_groups.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/lookup.h"

namespace leat::api {

using wire::DescribeGroupsResponse;
using wire::ErrorCode;
using Group = DescribeGroupsResponse::Group;

namespace {

constexpr wire::Version first_not_found = 6;  // KIP-1043; before, such a group is "Dead".

}  // namespace

void describe_groups(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto asked = wire::decode<wire::DescribeGroupsRequest>(request.header.body, version);
    if (!asked) return reply.malformed(asked.error());
    if (asked->groups.empty()) return reply.answer(DescribeGroupsResponse{});
    const bool with_operations = asked->include_authorized_operations;
    auto all = std::make_shared<GroupAnswers<Group>>(
        asked->groups.size(), [reply = std::move(reply)](std::vector<Group> groups) mutable {
            DescribeGroupsResponse response;
            response.groups = std::move(groups);
            reply.answer(response);
        });
    for (std::size_t i = 0; i < asked->groups.size(); ++i) {
        const std::string& id = asked->groups[i];
        decide_at_coordinator<Group>(
            services, request.shard, id,
            [id](const groups::Coordinator& machine, groups::Now, groups::Effects&) {
                return machine.describe_group(id);
            },
            [all, i, id, version, with_operations](ErrorCode error, Group group) {
                if (error != ErrorCode::none) group = {.error_code = error, .group_id = id};
                if (group.error_code == ErrorCode::group_id_not_found &&
                    version < first_not_found) {
                    group.error_code = ErrorCode::none;
                    group.error_message.reset();
                }
                if (with_operations && group.error_code == ErrorCode::none) {
                    group.authorized_operations = all_group_operations;
                }
                all->put(i, std::move(group));
            });
    }
}

}  // namespace leat::api
