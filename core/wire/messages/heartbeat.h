// Heartbeat (key 12): a member of a group of the classic protocol lives, and learns of rebalances.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct HeartbeatRequest {
    std::string group_id;
    std::int32_t generation_id = 0;
    std::string member_id;
    std::optional<std::string> group_instance_id;  // Of a static member (KIP-345).

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const HeartbeatRequest&) const = default;
};

struct HeartbeatResponse {
    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const HeartbeatResponse&) const = default;
};

}  // namespace leat::wire
