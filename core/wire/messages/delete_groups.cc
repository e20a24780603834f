#include "core/wire/messages/delete_groups.h"

namespace leat::wire {

std::span<const Field> DeleteGroupsRequest::fields() {
    static constexpr Field list[] = {
        field<&DeleteGroupsRequest::groups_names>("GroupsNames"),
    };
    return list;
}

constinit const MessageTraits DeleteGroupsRequest::traits{
    .name = "DeleteGroupsRequest",
    .key = ApiKey::delete_groups,
    .versions = {0, 3},
    .flexible = since(2),
    .fields = &DeleteGroupsRequest::fields,
};

std::span<const Field> DeleteGroupsResponse::Result::fields() {
    static constexpr Field list[] = {
        field<&Result::group_id>("GroupId"),
        field<&Result::error_code>("ErrorCode"),
        field<&Result::error_message>("ErrorMessage").in(since(3)).ignorable(),
    };
    return list;
}

std::span<const Field> DeleteGroupsResponse::fields() {
    static constexpr Field list[] = {
        field<&DeleteGroupsResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&DeleteGroupsResponse::results>("Results"),
    };
    return list;
}

constinit const MessageTraits DeleteGroupsResponse::traits{
    .name = "DeleteGroupsResponse",
    .key = ApiKey::delete_groups,
    .versions = {0, 3},
    .flexible = since(2),
    .fields = &DeleteGroupsResponse::fields,
};

}  // namespace leat::wire
