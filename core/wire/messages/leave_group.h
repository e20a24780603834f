// LeaveGroup (key 13): members leave a group of the classic protocol. From version 3 several at
// once, which an administrator may name by their instance ids alone (KIP-345).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct LeaveGroupRequest {
    struct Member {
        std::string member_id;  // Empty when the instance id names it.
        std::optional<std::string> group_instance_id;
        std::optional<std::string> reason;  // For the log (KIP-800).

        static std::span<const Field> fields();
        bool operator==(const Member&) const = default;
    };

    std::string group_id;
    std::string member_id;
    std::vector<Member> members;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const LeaveGroupRequest&) const = default;
};

struct LeaveGroupResponse {
    struct Member {
        std::string member_id;
        std::optional<std::string> group_instance_id;
        ErrorCode error_code = ErrorCode::none;

        static std::span<const Field> fields();
        bool operator==(const Member&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::vector<Member> members;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const LeaveGroupResponse&) const = default;
};

}  // namespace leat::wire
