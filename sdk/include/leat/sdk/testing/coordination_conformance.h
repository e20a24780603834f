// The kit that every coordination backend passes. An author writes a CoordinationBed and two lines:
//
//   INSTANTIATE_TEST_SUITE_P(Mine, CoordinationConformance, coordination_kit(make_my_bed),
//                            coordination_rule_name);
//
// If a rule is not in here, backends need not keep it. Include it in one .cc of a test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/testing/coordination_rules.h"

namespace leat::sdk::testing {

struct CoordinationCase {
    MakeBed make_bed;
    CoordinationRule rule;
};

inline auto coordination_kit(const MakeBed& make_bed) {
    std::vector<CoordinationCase> cases;
    for (const CoordinationRule& rule : all_coordination_rules()) cases.push_back({make_bed, rule});
    return ::testing::ValuesIn(cases);
}

inline std::string coordination_rule_name(
    const ::testing::TestParamInfo<CoordinationCase>& info) {
    return info.param.rule.name;
}

class CoordinationConformance : public ::testing::TestWithParam<CoordinationCase> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CoordinationConformance);

TEST_P(CoordinationConformance, Keeps) {
    EXPECT_EQ(complaints_about(GetParam().make_bed, GetParam().rule), "");
}

}  // namespace leat::sdk::testing
