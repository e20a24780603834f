// One call of a group assignor, on a thread that may be left behind: what it is given lives as long
// as the call does, and nobody touches that meanwhile.
//
// Containment  An exception, an error, an answer that breaks a rule: the members keep what they
//              had, if that is still a good assignment, or else get the built-in assignor's. A
//              fault in native code is not contained.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "leat/sdk/assignment.h"

namespace leat::broker {

// An assignor by the name of its instance, and what it lives on, held by whoever may be calling it.
struct Assignor {
    std::string name;
    std::shared_ptr<const sdk::GroupAssignor> object;
    sdk::AssignmentCapabilities capabilities{};
};

struct AssignorCall {
    Assignor assignor;
    Assignor built_in;  // Ours: it is believed, and has as many steps as it likes.
    // The assignor is not called, and this says why.
    std::optional<std::string> not_called{};
    sdk::AssignmentInput input;
    std::atomic<bool> given_up{false};  // Nobody waits for it any more.
};

struct AssignorAnswer {
    sdk::Result<sdk::GroupAssignment> assignment;  // Good for the input, or an error.
    std::string by;
    std::optional<std::string> failure{};  // Of the assignor, as a sentence to come after its name.
    bool misbehaved = false;               // It threw or lied: more than a refusal.
};

// [lone thread]
AssignorAnswer carry_out(AssignorCall& call);

}  // namespace leat::broker
