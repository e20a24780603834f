// Every rule of group assignors, over this one.
#include "leat/sdk/testing/assignment_conformance.h"
#include "rendezvous.h"

namespace leat::sdk::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(Rendezvous, AssignmentConformance,
                         assignment_kit({.make = [] { return std::make_unique<::Rendezvous>(); },
                                         .capabilities = ::Rendezvous::capabilities}),
                         assignment_rule_name);

}  // namespace
}  // namespace leat::sdk::testing
