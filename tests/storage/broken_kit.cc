// The kit over an engine with the fault that the environment names: run by kit_test, and meant to
// fail.
#include <cstdlib>

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

INSTANTIATE_TEST_SUITE_P(Broken, StorageConformance, ::testing::Values(with_fault()));

}  // namespace
}  // namespace leat::sdk::testing
