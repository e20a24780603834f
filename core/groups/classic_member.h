// A member of a group of the classic protocol.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/groups/effects.h"
#include "core/wire/messages/join_group.h"

namespace leat::groups {

struct ClassicMember {
    using Protocols = decltype(wire::JoinGroupRequest::protocols);

    std::string id;
    std::optional<std::string> instance_id;  // Static membership (KIP-345).
    std::string client_id;
    std::string client_host;
    std::chrono::milliseconds rebalance_timeout{};
    std::chrono::milliseconds session_timeout{};
    Protocols protocols;     // In its order of preference; the metadata is nobody's but its own.
    wire::Bytes assignment;  // As the leader gave it.

    // Soft state, lost at failover.
    bool is_new = false;  // Has no answer to its first JoinGroup yet.
    std::optional<Ticket> joining;
    std::optional<Ticket> syncing;
    std::optional<sdk::Instant> deadline;  // Absent while an answer to it is due.
    bool sync_due = false;                 // It was told the generation and has not synced.

    bool awaits() const { return joining || syncing; }
    const wire::Bytes& metadata(const std::string& protocol) const;
    bool supports(const std::string& protocol) const;
    std::size_t bytes() const;  // Of what it brought and was given.
};

}  // namespace leat::groups
