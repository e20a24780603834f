#include "core/wire/messages/leave_group.h"

namespace leat::wire {

std::span<const Field> LeaveGroupRequest::Member::fields() {
    static constexpr Field list[] = {
        field<&Member::member_id>("MemberId").in(since(3)),
        field<&Member::group_instance_id>("GroupInstanceId").in(since(3)),
        field<&Member::reason>("Reason").in(since(5)).ignorable(),
    };
    return list;
}

std::span<const Field> LeaveGroupRequest::fields() {
    static constexpr Field list[] = {
        field<&LeaveGroupRequest::group_id>("GroupId"),
        field<&LeaveGroupRequest::member_id>("MemberId").in(until(2)),
        field<&LeaveGroupRequest::members>("Members").in(since(3)),
    };
    return list;
}

constinit const MessageTraits LeaveGroupRequest::traits{
    .name = "LeaveGroupRequest",
    .key = ApiKey::leave_group,
    .versions = {0, 5},
    .flexible = since(4),
    .fields = &LeaveGroupRequest::fields,
};

std::span<const Field> LeaveGroupResponse::Member::fields() {
    static constexpr Field list[] = {
        field<&Member::member_id>("MemberId").in(since(3)),
        field<&Member::group_instance_id>("GroupInstanceId").in(since(3)),
        field<&Member::error_code>("ErrorCode").in(since(3)),
    };
    return list;
}

std::span<const Field> LeaveGroupResponse::fields() {
    static constexpr Field list[] = {
        field<&LeaveGroupResponse::throttle_time_ms>("ThrottleTimeMs").in(since(1)).ignorable(),
        field<&LeaveGroupResponse::error_code>("ErrorCode"),
        field<&LeaveGroupResponse::members>("Members").in(since(3)),
    };
    return list;
}

constinit const MessageTraits LeaveGroupResponse::traits{
    .name = "LeaveGroupResponse",
    .key = ApiKey::leave_group,
    .versions = {0, 5},
    .flexible = since(4),
    .fields = &LeaveGroupResponse::fields,
};

}  // namespace leat::wire
