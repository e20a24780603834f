// Even first, then near, then few moves: what `sticky` gives, and then partitions go to members
// that have a replica in their rack (client.rack), so that these fetch from it (KIP-392, KIP-881),
// wherever that costs the evenness nothing.
//
// It ends where a pass over all far partitions finds none that a chain of members could bring near
// (nearer.h, also for the cost); a few more may be possible, where it matters who has one more
// than the others. Where racks are unknown it is `sticky`. It does not promise that the others keep
// theirs when a member leaves: what a far replica costs is paid every day, and a move once.
#pragma once

#include "leat/sdk/assignment.h"

namespace leat::rack_aware {

class RackAwareAssignor final : public sdk::GroupAssignor {
public:
    static constexpr sdk::AssignmentCapabilities capabilities{
        .balance = sdk::AssignmentBalance::members, .follows_racks = true};

    sdk::Result<sdk::GroupAssignment> assign(const sdk::AssignmentInput& input,
                                             sdk::AssignmentSteps& steps) const override;
};

}  // namespace leat::rack_aware
