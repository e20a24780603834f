#include "core/wire/messages/list_groups.h"

namespace leat::wire {

std::span<const Field> ListGroupsRequest::fields() {
    static constexpr Field list[] = {
        field<&ListGroupsRequest::states_filter>("StatesFilter").in(since(4)),
        field<&ListGroupsRequest::types_filter>("TypesFilter").in(since(5)),
    };
    return list;
}

constinit const MessageTraits ListGroupsRequest::traits{
    .name = "ListGroupsRequest",
    .key = ApiKey::list_groups,
    .versions = {0, 5},
    .flexible = since(3),
    .fields = &ListGroupsRequest::fields,
};

std::span<const Field> ListGroupsResponse::Group::fields() {
    static constexpr Field list[] = {
        field<&Group::group_id>("GroupId"),
        field<&Group::protocol_type>("ProtocolType"),
        field<&Group::group_state>("GroupState").in(since(4)).ignorable(),
        field<&Group::group_type>("GroupType").in(since(5)).ignorable(),
    };
    return list;
}

std::span<const Field> ListGroupsResponse::fields() {
    static constexpr Field list[] = {
        field<&ListGroupsResponse::throttle_time_ms>("ThrottleTimeMs").in(since(1)).ignorable(),
        field<&ListGroupsResponse::error_code>("ErrorCode"),
        field<&ListGroupsResponse::groups>("Groups"),
    };
    return list;
}

constinit const MessageTraits ListGroupsResponse::traits{
    .name = "ListGroupsResponse",
    .key = ApiKey::list_groups,
    .versions = {0, 5},
    .flexible = since(3),
    .fields = &ListGroupsResponse::fields,
};

}  // namespace leat::wire
