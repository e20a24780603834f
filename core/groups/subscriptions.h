// What may be read of members' metadata, which is otherwise opaque: the topics that consumers of
// the protocol type "consumer" subscribe to.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/groups/classic_group.h"

namespace leat::groups {

inline constexpr std::string_view consumer_protocol_type = "consumer";

// Nothing: the group is of another type, or a member's metadata is not what consumers send. Then
// nobody can tell what it subscribes to.
std::optional<std::set<std::string>> subscribed_topics(const ClassicGroup& group);

}  // namespace leat::groups
