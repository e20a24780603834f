// SyncGroup (key 14): the leader of a group of the classic protocol hands in what each member is
// assigned, and every member gets its own. The group's protocol is checked from version 5
// (KIP-559).
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

struct SyncGroupRequest {
    struct Assignment {
        std::string member_id;
        Bytes assignment;

        static std::span<const Field> fields();
        bool operator==(const Assignment&) const = default;
    };

    std::string group_id;
    std::int32_t generation_id = 0;
    std::string member_id;
    std::optional<std::string> group_instance_id;  // Of a static member (KIP-345).
    std::optional<std::string> protocol_type;
    std::optional<std::string> protocol_name;
    std::vector<Assignment> assignments;  // Empty from all but the leader.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const SyncGroupRequest&) const = default;
};

struct SyncGroupResponse {
    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> protocol_type;
    std::optional<std::string> protocol_name;
    Bytes assignment;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const SyncGroupResponse&) const = default;
};

}  // namespace leat::wire
