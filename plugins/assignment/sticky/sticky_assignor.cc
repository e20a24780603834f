#include "sticky_assignor.h"

#include "allotment.h"

namespace leat::sticky {

sdk::Result<sdk::GroupAssignment> StickyAssignor::assign(const sdk::AssignmentInput& input,
                                                         sdk::AssignmentSteps& steps) const {
    allotment::Allotment allotment{input};
    if (!allotment.place_free(steps) || !allotment.even_out(steps))
        return sdk::Error{sdk::Errc::limit, "stopped before the counts were even"};
    return allotment.told();
}

}  // namespace leat::sticky
