// The record of a group of the classic protocol: its generation, the members and what each was
// assigned (type 2). Subscriptions and assignments are the clients' own bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct GroupMetadataKey {
    std::string group;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const GroupMetadataKey&) const = default;
};

struct GroupMetadataValue {
    struct Member {
        std::string member_id;
        std::optional<std::string> group_instance_id;
        std::string client_id;
        std::string client_host;
        std::int32_t rebalance_timeout = -1;  // Milliseconds.
        std::int32_t session_timeout = 0;     // Milliseconds.
        Bytes subscription;                   // For the protocol chosen.
        Bytes assignment;

        static std::span<const Field> fields();
        bool operator==(const Member&) const = default;
    };

    std::string protocol_type;
    std::int32_t generation = 0;
    std::optional<std::string> protocol;        // Null without members.
    std::optional<std::string> leader;          // Null without members.
    std::int64_t current_state_timestamp = -1;  // Milliseconds of the epoch; -1 unknown.
    std::vector<Member> members;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const GroupMetadataValue&) const = default;
};

}  // namespace leat::wire
