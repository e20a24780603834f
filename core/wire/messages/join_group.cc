#include "core/wire/messages/join_group.h"

namespace leat::wire {

std::span<const Field> JoinGroupRequest::Protocol::fields() {
    static constexpr Field list[] = {
        field<&Protocol::name>("Name"),
        field<&Protocol::metadata>("Metadata"),
    };
    return list;
}

std::span<const Field> JoinGroupRequest::fields() {
    static constexpr Field list[] = {
        field<&JoinGroupRequest::group_id>("GroupId"),
        field<&JoinGroupRequest::session_timeout_ms>("SessionTimeoutMs"),
        field<&JoinGroupRequest::rebalance_timeout_ms>("RebalanceTimeoutMs")
            .in(since(1))
            .ignorable(),
        field<&JoinGroupRequest::member_id>("MemberId"),
        field<&JoinGroupRequest::group_instance_id>("GroupInstanceId").in(since(5)),
        field<&JoinGroupRequest::protocol_type>("ProtocolType"),
        field<&JoinGroupRequest::protocols>("Protocols"),
        field<&JoinGroupRequest::reason>("Reason").in(since(8)).ignorable(),
    };
    return list;
}

constinit const MessageTraits JoinGroupRequest::traits{
    .name = "JoinGroupRequest",
    .key = ApiKey::join_group,
    .versions = {0, 9},
    .flexible = since(6),
    .fields = &JoinGroupRequest::fields,
};

std::span<const Field> JoinGroupResponse::Member::fields() {
    static constexpr Field list[] = {
        field<&Member::member_id>("MemberId"),
        field<&Member::group_instance_id>("GroupInstanceId").in(since(5)).ignorable(),
        field<&Member::metadata>("Metadata"),
    };
    return list;
}

std::span<const Field> JoinGroupResponse::fields() {
    static constexpr Field list[] = {
        field<&JoinGroupResponse::throttle_time_ms>("ThrottleTimeMs").in(since(2)).ignorable(),
        field<&JoinGroupResponse::error_code>("ErrorCode"),
        field<&JoinGroupResponse::generation_id>("GenerationId"),
        field<&JoinGroupResponse::protocol_type>("ProtocolType").in(since(7)).ignorable(),
        field<&JoinGroupResponse::protocol_name>("ProtocolName").null_in(since(7)),
        field<&JoinGroupResponse::leader>("Leader"),
        field<&JoinGroupResponse::skip_assignment>("SkipAssignment").in(since(9)),
        field<&JoinGroupResponse::member_id>("MemberId"),
        field<&JoinGroupResponse::members>("Members"),
    };
    return list;
}

constinit const MessageTraits JoinGroupResponse::traits{
    .name = "JoinGroupResponse",
    .key = ApiKey::join_group,
    .versions = {0, 9},
    .flexible = since(6),
    .fields = &JoinGroupResponse::fields,
};

}  // namespace leat::wire
