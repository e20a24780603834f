// Whether this program has consumer groups: for small builds to leave out (LEAT_CONSUMER_GROUPS).
#pragma once

namespace leat::groups {

inline constexpr bool built_in = LEAT_CONSUMER_GROUPS;

}  // namespace leat::groups
