// How a group's machine gets an assignment: it asks by an effect, goes on, and is told later. An
// assignor is foreign code on a thread of its own, and may take a while, fail or never come back.
//
//   machine                       driver                           assignor thread
//    |-- AssignmentRequest ------->|  fills in what is known of the     |
//    |   (in its Effects)          |  topics, asks the assignor ------->|
//    |                             |  checks the answer, or takes <-----|
//    |<-- AssignmentOutcome -------|  another in its place
//    |    (a call, always)
//
// Each request is answered once, unless the coordinator fails or resigns before.
#pragma once

#include <cstdint>
#include <string>

#include "leat/sdk/assignment.h"
#include "leat/sdk/result.h"

namespace leat::groups {

struct AssignmentRequest {
    std::string group;
    // The group's own, such as its generation or epoch: by it the machine knows an outcome that
    // comes too late.
    std::uint64_t number = 0;
    std::string assignor;  // An instance's name: [assignment.NAME].
    // Complete but for the topics, of which the names are enough: ids, partitions and what the
    // assignor looks at of them are filled in. A topic that has partitions keeps their number. One
    // that does not exist is taken out, and whatever names it as well, so positions may change.
    sdk::AssignmentInput input;
};

struct AssignmentOutcome {
    std::string group;
    std::uint64_t number = 0;
    sdk::AssignmentInput input;  // As the assignor saw it: what positions mean.
    // Good for `input` (assignment_check.h). The assignor's; or, if it failed, what the members had
    // before, where that is still good, or else the built-in one's. An error if there is no such
    // assignor.
    sdk::Result<sdk::GroupAssignment> assignment;
    std::string by{};  // Whose it is, for a person.
};

}  // namespace leat::groups
