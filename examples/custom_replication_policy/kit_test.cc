// Every rule of replication policies, over this one.
#include "all_replicas.h"
#include "leat/sdk/testing/replication_conformance.h"

namespace leat::sdk::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(AllReplicas, ReplicationConformance,
                         replication_kit({.make = [] { return std::make_unique<::AllReplicas>(); },
                                          .least_replicas = 1,
                                          .most_replicas = ::AllReplicas::most_replicas}),
                         replication_rule_name);

}  // namespace
}  // namespace leat::sdk::testing
