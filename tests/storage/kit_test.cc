// The conformance kit is tested itself: without a fault everything passes, and each planted fault
// fails the test of the rule that it breaks.
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tests/storage/broken_engine.h"

namespace leat::storage_test {
namespace {

bool passes(const std::string& fault, bool durable, const std::string& filter) {
    const std::string command = "LEAT_PLANTED_FAULT='" + fault + "' " +
                                (durable ? "LEAT_PLANTED_IN_SEGMENT=1 " : "") + BROKEN_KIT +
                                " --gtest_filter='*" + filter + "*' > /dev/null 2>&1";
    const int outcome = std::system(command.c_str());
    return WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0;
}

TEST(ConformanceKit, PassesAnEngineWithoutAFault) {
    EXPECT_TRUE(passes("", false, ""));
    EXPECT_TRUE(passes("", true, ""));
}

class PlantedFault : public ::testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, FailsTheTestOfItsRule) {
    const Fault& fault = GetParam();
    EXPECT_TRUE(passes("", fault.durable, fault.breaks));
    EXPECT_FALSE(passes(fault.name, fault.durable, fault.breaks)) << fault.name;
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedFault, ::testing::ValuesIn(faults()), [](const auto& one) {
    std::string name = one.param.name + (one.param.durable ? "_on_disk" : "");
    for (char& c : name) {
        if (c == ' ') c = '_';
    }
    return name + "_" + std::to_string(one.index);
});

}  // namespace
}  // namespace leat::storage_test
