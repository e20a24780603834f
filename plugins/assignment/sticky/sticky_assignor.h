// Even first, then as little moves as can: everybody keeps what he had, what nobody has goes to
// those with fewest, and then members give to subscribers that have two fewer until there are none.
//
// Unlike `uniform` it goes on until no single move helps, whatever the members subscribe to.
#pragma once

#include "leat/sdk/assignment.h"

namespace leat::sticky {

class StickyAssignor final : public sdk::GroupAssignor {
public:
    static constexpr sdk::AssignmentCapabilities capabilities{
        .balance = sdk::AssignmentBalance::members, .keeps_the_others = true};

    sdk::Result<sdk::GroupAssignment> assign(const sdk::AssignmentInput& input,
                                             sdk::AssignmentSteps& steps) const override;
};

}  // namespace leat::sticky
