// The kit that every replication policy passes. An author writes two lines:
//
//   INSTANTIATE_TEST_SUITE_P(Mine, ReplicationConformance, replication_kit({make, least, most}),
//                            replication_rule_name);
//
// Include it in one .cc of a test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/testing/replication_rules.h"

namespace leat::sdk::testing {

struct ReplicationCase {
    PolicyUnderTest policy;
    ReplicationRule rule;
};

inline auto replication_kit(const PolicyUnderTest& policy) {
    std::vector<ReplicationCase> cases;
    for (const ReplicationRule& rule : replication_rules()) cases.push_back({policy, rule});
    return ::testing::ValuesIn(cases);
}

inline std::string replication_rule_name(const ::testing::TestParamInfo<ReplicationCase>& info) {
    return info.param.rule.name;
}

class ReplicationConformance : public ::testing::TestWithParam<ReplicationCase> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReplicationConformance);

TEST_P(ReplicationConformance, Keeps) {
    EXPECT_EQ(complaints_about(GetParam().policy, GetParam().rule), "");
}

}  // namespace leat::sdk::testing
