#include "core/wire/messages/sync_group.h"

namespace leat::wire {

std::span<const Field> SyncGroupRequest::Assignment::fields() {
    static constexpr Field list[] = {
        field<&Assignment::member_id>("MemberId"),
        field<&Assignment::assignment>("Assignment"),
    };
    return list;
}

std::span<const Field> SyncGroupRequest::fields() {
    static constexpr Field list[] = {
        field<&SyncGroupRequest::group_id>("GroupId"),
        field<&SyncGroupRequest::generation_id>("GenerationId"),
        field<&SyncGroupRequest::member_id>("MemberId"),
        field<&SyncGroupRequest::group_instance_id>("GroupInstanceId").in(since(3)),
        field<&SyncGroupRequest::protocol_type>("ProtocolType").in(since(5)).ignorable(),
        field<&SyncGroupRequest::protocol_name>("ProtocolName").in(since(5)).ignorable(),
        field<&SyncGroupRequest::assignments>("Assignments"),
    };
    return list;
}

constinit const MessageTraits SyncGroupRequest::traits{
    .name = "SyncGroupRequest",
    .key = ApiKey::sync_group,
    .versions = {0, 5},
    .flexible = since(4),
    .fields = &SyncGroupRequest::fields,
};

std::span<const Field> SyncGroupResponse::fields() {
    static constexpr Field list[] = {
        field<&SyncGroupResponse::throttle_time_ms>("ThrottleTimeMs").in(since(1)).ignorable(),
        field<&SyncGroupResponse::error_code>("ErrorCode"),
        field<&SyncGroupResponse::protocol_type>("ProtocolType").in(since(5)).ignorable(),
        field<&SyncGroupResponse::protocol_name>("ProtocolName").in(since(5)).ignorable(),
        field<&SyncGroupResponse::assignment>("Assignment"),
    };
    return list;
}

constinit const MessageTraits SyncGroupResponse::traits{
    .name = "SyncGroupResponse",
    .key = ApiKey::sync_group,
    .versions = {0, 5},
    .flexible = since(4),
    .fields = &SyncGroupResponse::fields,
};

}  // namespace leat::wire
