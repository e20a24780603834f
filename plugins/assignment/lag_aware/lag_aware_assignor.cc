#include "lag_aware_assignor.h"

#include "allotment.h"
#include "loads.h"

namespace leat::lag_aware {

sdk::Result<sdk::GroupAssignment> LagAwareAssignor::assign(const sdk::AssignmentInput& input,
                                                           sdk::AssignmentSteps& steps) const {
    allotment::Allotment allotment{input};
    Loads loads{allotment, measure_, steps};
    if (!loads.place_free() || !loads.level())
        return sdk::Error{sdk::Errc::limit, "stopped before the loads were level"};
    return allotment.told();
}

}  // namespace leat::lag_aware
