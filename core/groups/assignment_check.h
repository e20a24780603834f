// What an assignor answers is foreign: it is looked at before any member hears of it.
//
// A good assignment has a list for each member of the input, names only topics and partitions that
// the input has, gives a member only what it subscribes to, gives each partition once, and leaves
// out none that somebody subscribes to. Linear in members, subscriptions and partitions, whatever
// the assignor wrote: it stops at the first violation, so a list without end costs no more than
// the topics have partitions.
#pragma once

#include <optional>
#include <string>

#include "leat/sdk/assignment.h"

namespace leat::groups {

// Nothing, or the first violation as a sentence to come after the plugin's name: "gives partition 3
// of topic orders to member a, which does not subscribe to it".
std::optional<std::string> violation_in(const sdk::AssignmentInput& input,
                                        const sdk::GroupAssignment& assignment);

}  // namespace leat::groups
