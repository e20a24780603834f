// The kit that every group assignor passes. An author writes two lines:
//
//   INSTANTIATE_TEST_SUITE_P(Mine, AssignmentConformance, assignment_kit({make, capabilities}),
//                            assignment_rule_name);
//
// Include it in one .cc of a test. The seed is LEAT_SEED, else 1, and stands in each complaint.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "leat/sdk/testing/assignment_rules.h"

namespace leat::sdk::testing {

struct AssignmentCase {
    AssignorUnderTest assignor;
    AssignmentRule rule;
};

inline auto assignment_kit(AssignorUnderTest assignor) {
    if (const char* seed = std::getenv("LEAT_SEED"))
        assignor.seed = std::strtoull(seed, nullptr, 10);
    std::vector<AssignmentCase> cases;
    for (const AssignmentRule& rule : assignment_rules()) cases.push_back({assignor, rule});
    return ::testing::ValuesIn(cases);
}

inline std::string assignment_rule_name(const ::testing::TestParamInfo<AssignmentCase>& info) {
    return info.param.rule.name;
}

class AssignmentConformance : public ::testing::TestWithParam<AssignmentCase> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AssignmentConformance);

TEST_P(AssignmentConformance, Keeps) {
    EXPECT_EQ(complaints_about(GetParam().assignor, GetParam().rule), "");
}

}  // namespace leat::sdk::testing
