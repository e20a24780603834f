#include "core/wire/messages/heartbeat.h"

namespace leat::wire {

std::span<const Field> HeartbeatRequest::fields() {
    static constexpr Field list[] = {
        field<&HeartbeatRequest::group_id>("GroupId"),
        field<&HeartbeatRequest::generation_id>("GenerationId"),
        field<&HeartbeatRequest::member_id>("MemberId"),
        field<&HeartbeatRequest::group_instance_id>("GroupInstanceId").in(since(3)),
    };
    return list;
}

constinit const MessageTraits HeartbeatRequest::traits{
    .name = "HeartbeatRequest",
    .key = ApiKey::heartbeat,
    .versions = {0, 4},
    .flexible = since(4),
    .fields = &HeartbeatRequest::fields,
};

std::span<const Field> HeartbeatResponse::fields() {
    static constexpr Field list[] = {
        field<&HeartbeatResponse::throttle_time_ms>("ThrottleTimeMs").in(since(1)).ignorable(),
        field<&HeartbeatResponse::error_code>("ErrorCode"),
    };
    return list;
}

constinit const MessageTraits HeartbeatResponse::traits{
    .name = "HeartbeatResponse",
    .key = ApiKey::heartbeat,
    .versions = {0, 4},
    .flexible = since(4),
    .fields = &HeartbeatResponse::fields,
};

}  // namespace leat::wire
