#include <gtest/gtest.h>

#include "core/host/instances.h"
#include "leat/sdk/testing/storage_conformance.h"
#include "tests/host/host_under_test.h"

namespace leat::host {
namespace {

TEST(Example, BuiltOutOfTreeIsFoundAndKeepsABatch) {
    KeptLines logger;
    IdleShard shard;
    PluginHost host{logger};
    discover(host, EXAMPLE_FOLDER);
    for (const Refusal& refusal : host.refusals()) ADD_FAILURE() << refusal.reason;
    const auto loading = config::load_text(
        "/b.toml", "[storage.mine]\nplugin = \"custom\"\nmost_bytes = \"2MiB\"\n");
    InstanceMaker maker{host, loading.config.source};
    const auto& instance = loading.config.storage.at(0);
    const auto settings = maker.check_storage(instance);
    ASSERT_TRUE(settings) << config::text_of(maker.complaints());
    const auto engine = maker.make_storage(instance, *settings, {.shard = shard});
    ASSERT_TRUE(engine) << engine.error().what;
    const auto log = engine->object->open({.topic = "mine", .index = 0}, {});
    ASSERT_TRUE(log);

    const std::string bytes = "sixty-one bytes of header would stand here";
    const sdk::StampedBatch batch{{0}, {3}, {5}, std::as_bytes(std::span{bytes})};
    ASSERT_TRUE((*log)->append({&batch, 1}));
    EXPECT_EQ((*log)->bounds().end, sdk::Offset{3});
    const auto answer = (*log)->read({1}, {3}, 1);
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->slices.size(), 1u);
    EXPECT_EQ(sdk::size_of(answer->slices[0]), bytes.size());
    const std::string large(3 << 20, 'x');
    const sdk::StampedBatch too_large{{3}, {4}, {5}, std::as_bytes(std::span{large})};
    EXPECT_FALSE((*log)->append({&too_large, 1}));
}

}  // namespace
}  // namespace leat::host

namespace leat::sdk::testing {
namespace {

// The kit over the library that was loaded, every option at its default.
std::vector<StorageUnderTest> loaded_example() {
    static host::KeptLines logger;
    static host::PluginHost host{logger};
    if (host.storage().empty()) host::discover(host, EXAMPLE_FOLDER);
    const auto found = host.storage().find("custom");
    if (found == host.storage().end()) return {};
    const StorageDeclaration& custom = found->second.declaration;
    std::map<std::string, OptionValue, std::less<>> settings;
    for (const Option& option : custom.options) settings[option.name] = option.fallback;
    return {{.name = custom.name,
             .capabilities = custom.capabilities,
             .make = custom.make,
             .settings = Settings{std::move(settings)}}};
}

INSTANTIATE_TEST_SUITE_P(Example, StorageConformance, ::testing::ValuesIn(loaded_example()));
INSTANTIATE_TEST_SUITE_P(Example, StorageTailDamage, ::testing::ValuesIn(loaded_example()));
INSTANTIATE_TEST_SUITE_P(Example, StorageHistory, ::testing::ValuesIn(loaded_example()));

}  // namespace
}  // namespace leat::sdk::testing
