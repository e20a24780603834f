#include "rack_aware_assignor.h"

#include "allotment.h"
#include "nearer.h"

namespace leat::rack_aware {

sdk::Result<sdk::GroupAssignment> RackAwareAssignor::assign(const sdk::AssignmentInput& input,
                                                            sdk::AssignmentSteps& steps) const {
    allotment::Allotment allotment{input};
    if (!allotment.place_free(steps) || !allotment.even_out(steps))
        return sdk::Error{sdk::Errc::limit, "stopped before the counts were even"};
    if (!Nearer{allotment, steps}.bring())
        return sdk::Error{sdk::Errc::limit, "stopped before the partitions were near"};
    return allotment.told();
}

}  // namespace leat::rack_aware
