// What can be wrong with a ConsumerGroupHeartbeat before anybody looks for its group.
#pragma once

#include <optional>
#include <string>

#include "core/groups/group_limits.h"
#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/messages/consumer_group_heartbeat.h"

namespace leat::groups {

// What the member says in the place of an epoch.
inline constexpr std::int32_t joins = 0;
inline constexpr std::int32_t leaves = -1;
inline constexpr std::int32_t leaves_for_a_while = -2;  // A static member that will be back.

struct Refusal {
    wire::ErrorCode error;
    std::string why;  // For the client.
};

std::optional<Refusal> wrong_with(const wire::ConsumerGroupHeartbeatRequest& request,
                                  wire::Version version, const GroupLimits& limits);

}  // namespace leat::groups
