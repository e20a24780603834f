// Every rule of group assignors, over each of ours.
#include "leat/sdk/testing/assignment_conformance.h"
#include "plugins/assignment/lag_aware/lag_aware_assignor.h"
#include "plugins/assignment/rack_aware/rack_aware_assignor.h"
#include "plugins/assignment/range/range_assignor.h"
#include "plugins/assignment/sticky/sticky_assignor.h"
#include "plugins/assignment/uniform/uniform_assignor.h"

namespace leat::sdk::testing {
namespace {

template <class Assignor>
AssignorUnderTest ours() {
    return {.make = [] { return std::make_unique<Assignor>(); },
            .capabilities = Assignor::capabilities};
}

INSTANTIATE_TEST_SUITE_P(Uniform, AssignmentConformance,
                         assignment_kit(ours<uniform::UniformAssignor>()), assignment_rule_name);
INSTANTIATE_TEST_SUITE_P(Range, AssignmentConformance, assignment_kit(ours<range::RangeAssignor>()),
                         assignment_rule_name);

INSTANTIATE_TEST_SUITE_P(Sticky, AssignmentConformance,
                         assignment_kit(ours<sticky::StickyAssignor>()), assignment_rule_name);

INSTANTIATE_TEST_SUITE_P(LagAware, AssignmentConformance,
                         assignment_kit(ours<lag_aware::LagAwareAssignor>()), assignment_rule_name);

INSTANTIATE_TEST_SUITE_P(RackAware, AssignmentConformance,
                         assignment_kit(ours<rack_aware::RackAwareAssignor>()),
                         assignment_rule_name);

}  // namespace
}  // namespace leat::sdk::testing
