// DescribeGroups (key 15): the state and the members of groups of the classic protocol.
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

struct DescribeGroupsRequest {
    std::vector<std::string> groups;
    bool include_authorized_operations = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeGroupsRequest&) const = default;
};

struct DescribeGroupsResponse {
    struct Member {
        std::string member_id;
        std::optional<std::string> group_instance_id;
        std::string client_id;
        std::string client_host;
        Bytes member_metadata;
        Bytes member_assignment;

        static std::span<const Field> fields();
        bool operator==(const Member&) const = default;
    };

    struct Group {
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;
        std::string group_id;
        std::string group_state;  // "Stable", "Empty", "Dead", ...
        std::string protocol_type;
        std::string protocol_data;  // The name of the protocol chosen.
        std::vector<Member> members;
        // A bit for each; INT32_MIN: not asked for.
        std::int32_t authorized_operations = INT32_MIN;

        static std::span<const Field> fields();
        bool operator==(const Group&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Group> groups;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeGroupsResponse&) const = default;
};

}  // namespace leat::wire
