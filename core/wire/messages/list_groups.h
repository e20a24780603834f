// ListGroups (key 16): the groups that a broker coordinates. Filtered by state from version 4
// (KIP-518), by type from version 5 (KIP-848).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct ListGroupsRequest {
    std::vector<std::string> states_filter;  // Empty is all.
    std::vector<std::string> types_filter;   // Empty is all.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ListGroupsRequest&) const = default;
};

struct ListGroupsResponse {
    struct Group {
        std::string group_id;
        std::string protocol_type;  // "consumer", "connect", ...
        std::string group_state;
        std::string group_type;  // "classic", "consumer", ...

        static std::span<const Field> fields();
        bool operator==(const Group&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::vector<Group> groups;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ListGroupsResponse&) const = default;
};

}  // namespace leat::wire
