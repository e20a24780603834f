#include "core/wire/messages/consumer_group_describe.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/lookup.h"

namespace leat::api {

using wire::ConsumerGroupDescribeResponse;
using wire::ErrorCode;
using Group = ConsumerGroupDescribeResponse::Group;

void consumer_group_describe(Services& services, Request request, Reply reply) {
    auto asked = wire::decode<wire::ConsumerGroupDescribeRequest>(request.header.body,
                                                                  request.header.version);
    if (!asked) return reply.malformed(asked.error());
    if (asked->group_ids.empty()) return reply.answer(ConsumerGroupDescribeResponse{});
    const bool with_operations = asked->include_authorized_operations;
    auto all = std::make_shared<GroupAnswers<Group>>(
        asked->group_ids.size(), [reply = std::move(reply)](std::vector<Group> groups) mutable {
            ConsumerGroupDescribeResponse response;
            response.groups = std::move(groups);
            reply.answer(response);
        });
    for (std::size_t i = 0; i < asked->group_ids.size(); ++i) {
        const std::string& id = asked->group_ids[i];
        decide_at_coordinator<Group>(
            services, request.shard, id,
            [id](const groups::Coordinator& machine, groups::Now, groups::Effects&) {
                return machine.describe_consumer_group(id);
            },
            [all, i, id, with_operations](ErrorCode error, Group group) {
                if (error != ErrorCode::none) group = {.error_code = error, .group_id = id};
                if (with_operations && group.error_code == ErrorCode::none) {
                    group.authorized_operations = all_group_operations;
                }
                all->put(i, std::move(group));
            });
    }
}

}  // namespace leat::api
