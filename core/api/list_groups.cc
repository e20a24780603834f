#include "core/wire/messages/list_groups.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {

using wire::ErrorCode;
using wire::ListGroupsResponse;
using Groups = std::vector<ListGroupsResponse::Group>;

namespace {

struct Part {
    ErrorCode error = ErrorCode::none;
    Groups groups{};
};

}  // namespace

// Those of this broker: clients ask every broker.
void list_groups(Services& services, Request request, Reply reply) {
    auto asked = wire::decode<wire::ListGroupsRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const auto* topic = services.metadata.image(request.shard).topic(broker::group_topic);
    if (topic == nullptr) return reply.answer(ListGroupsResponse{});
    auto all = std::make_shared<GroupAnswers<Part>>(
        topic->partitions.size(), [reply = std::move(reply)](std::vector<Part> parts) mutable {
            ListGroupsResponse response;
            for (Part& part : parts) {
                if (part.error != ErrorCode::none) response.error_code = part.error;
                for (auto& group : part.groups) response.groups.push_back(std::move(group));
            }
            if (response.error_code != ErrorCode::none) response.groups.clear();
            reply.answer(response);
        });
    for (std::size_t i = 0; i < topic->partitions.size(); ++i) {
        ask_coordinator_of<Groups>(
            services, request.shard, static_cast<std::int32_t>(i),
            [asked = *asked](broker::GroupCoordinator& coordinator, auto give) {
                coordinator.ask(
                    [asked](const groups::Coordinator& machine, groups::Now, groups::Effects&) {
                        Groups found;
                        machine.list_groups(asked, found);
                        return found;
                    },
                    std::move(give));
            },
            [all, i](ErrorCode error, Groups found) {
                if (error == ErrorCode::not_coordinator) error = ErrorCode::none;  // Another's.
                all->put(i, {error, std::move(found)});
            });
    }
}

}  // namespace leat::api
