// The operator's assignor for consumer groups of the classic protocol ([groups] in the
// configuration): the coordinator answers SyncGroup with its assignment instead of the leader's, so
// that a client of any language and age gets it.
//
// Where      The protocol type is "consumer" and the protocol is one whose assignments are nothing
//            but lists of partitions: range, roundrobin, sticky, cooperative-sticky. Where the
//            leader's assignments carry user data of its assignor, or anything is not what
//            consumers write, they pass untouched: Kafka Streams is such a group, its protocol is
//            "stream".
// Owned      What members say they hold counts in the generation in which they held it (KIP-792): a
//            claim of an earlier one is void where another member has a later one.
// Handing over  In a cooperative group nothing is taken from who holds it: a partition that the
//            assignor moves is given to nobody in this generation. Its holder sees that it is no
//            longer its own, revokes it and joins again, and then it is free (KIP-429).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/groups/assignment_request.h"
#include "core/groups/classic_group.h"
#include "core/wire/messages/sync_group.h"

namespace leat::groups {

using LeadersAssignments = decltype(wire::SyncGroupRequest::assignments);

// What the assignor sees of the group: topics by name only. Nothing: the leader's pass untouched.
std::optional<sdk::AssignmentInput> assignor_input(const ClassicGroup& group,
                                                   const LeadersAssignments& by_leader);

struct GivenAssignments {
    LeadersAssignments assignments;  // Each in the version that its member's subscription has.
    std::size_t withheld = 0;        // Partitions that wait for who holds them.
};

// As it is told to the members, who are those of `input`; its assignment is a good one.
GivenAssignments told_to_members(const ClassicGroup& group, const sdk::AssignmentInput& input,
                                 const sdk::GroupAssignment& assignment);

}  // namespace leat::groups
