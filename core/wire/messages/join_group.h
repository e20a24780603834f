// JoinGroup (key 11): a member enters a group of the classic protocol, or a rebalance of it. From
// version 4 a member without an id is given one and told to come again (KIP-394). What the
// protocols say of a member belongs to the clients and is passed on byte for byte.
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

struct JoinGroupRequest {
    struct Protocol {
        std::string name;
        Bytes metadata;

        static std::span<const Field> fields();
        bool operator==(const Protocol&) const = default;
    };

    std::string group_id;
    std::int32_t session_timeout_ms = 0;
    std::int32_t rebalance_timeout_ms = -1;        // Version 0: the session timeout counts.
    std::string member_id;                         // Empty for who is new.
    std::optional<std::string> group_instance_id;  // Of a static member (KIP-345).
    std::string protocol_type;                     // "consumer", "connect", ...
    std::vector<Protocol> protocols;               // The one that the member likes best first.
    std::optional<std::string> reason;             // For the log (KIP-800).

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const JoinGroupRequest&) const = default;
};

struct JoinGroupResponse {
    struct Member {
        std::string member_id;
        std::optional<std::string> group_instance_id;
        Bytes metadata;

        static std::span<const Field> fields();
        bool operator==(const Member&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::int32_t generation_id = -1;
    std::optional<std::string> protocol_type;
    // Null only in errors, from version 7; before, empty.
    std::optional<std::string> protocol_name;
    std::string leader;
    bool skip_assignment = false;  // The leader has to assign nothing (KIP-814).
    std::string member_id;
    std::vector<Member> members;  // Empty for all but the leader.

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const JoinGroupResponse&) const = default;
};

}  // namespace leat::wire
