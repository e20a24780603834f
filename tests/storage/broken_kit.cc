// The kit over an engine with the fault that the environment names: run by kit_test, and meant to
// fail.
#include <cstdlib>
#include <string>

#include "leat/sdk/testing/storage_conformance.h"
#include "tests/storage/broken_engine.h"

extern "C" const leat::sdk::PluginInfo leat_plugin_v1_memory;
extern "C" const leat::sdk::PluginInfo leat_plugin_v1_segment;

namespace leat::sdk::testing {
namespace {

StorageUnderTest with_fault() {
    const char* fault = std::getenv("LEAT_PLANTED_FAULT");
    const bool durable = std::getenv("LEAT_PLANTED_IN_SEGMENT") != nullptr;
    auto storage = storage_plugin(durable ? leat_plugin_v1_segment : leat_plugin_v1_memory);
    storage.make = [make = storage.make, planted = std::string{fault == nullptr ? "" : fault}](
                       PluginContext& context,
                       const Settings& settings) -> Result<std::unique_ptr<StorageEngine>> {
        auto engine = make(context, settings);
        if (!engine) return engine.error();
        return storage_test::broken(std::move(*engine), planted);
    };
    return storage;
}

StorageUnderTest with_budget() {
    constexpr std::int64_t budget = 1 << 20;
    auto storage = with_fault();
    const char* fault = std::getenv("LEAT_PLANTED_FAULT");
    const bool kept = fault == nullptr || std::string{fault} != "the budget is not kept";
    if (std::getenv("LEAT_PLANTED_IN_SEGMENT") != nullptr) return storage;
    storage.settings = Settings{{{"budget", OptionValue{kept ? budget : 100 * budget}}}};
    storage.budget = budget;
    return storage;
}

INSTANTIATE_TEST_SUITE_P(Broken, StorageConformance, ::testing::Values(with_fault()));
INSTANTIATE_TEST_SUITE_P(Broken, StorageRewrites, ::testing::Values(with_fault()));
INSTANTIATE_TEST_SUITE_P(Broken, StorageBudget, ::testing::Values(with_budget()));

}  // namespace
}  // namespace leat::sdk::testing
