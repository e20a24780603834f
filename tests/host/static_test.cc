#include <gtest/gtest.h>

#include "core/host/instances.h"
#include "tests/host/host_under_test.h"

std::span<const leat::sdk::PluginInfo* const> leat_static_plugins();

namespace leat::host {
namespace {

TEST(StaticPlugins, TwoOfOneKindLiveInOneBinaryWithoutALibrary) {
    KeptLines logger;
    IdleShard shard;
    PluginHost host{logger};
    host.enroll_built_in(leat_static_plugins());
    EXPECT_TRUE(host.refusals().empty());
    ASSERT_EQ(host.storage().size(), 2u);
    EXPECT_EQ(host.storage().at("parrot").origin.file, "built in");
    const auto loading = config::load_text("/b.toml",
                                           "[topic_defaults]\nstorage = \"a\"\n"
                                           "[storage.a]\nplugin = \"echo\"\n"
                                           "[storage.b]\nplugin = \"parrot\"\n");
    ASSERT_TRUE(loading.ok()) << config::text_of(loading.complaints);
    InstanceMaker maker{host, loading.config.source};
    for (const auto& instance : loading.config.storage) {
        const auto settings = maker.check_storage(instance);
        ASSERT_TRUE(settings);
        const auto made = maker.make_storage(instance, *settings, {.shard = shard});
        EXPECT_TRUE(made) << made.error().what;
    }
}

TEST(StaticPlugins, ClashLoudlyToo) {
    KeptLines logger;
    PluginHost host{logger};
    host.enroll_built_in(leat_static_plugins());
    host.enroll_built_in(leat_static_plugins());
    ASSERT_EQ(host.refusals().size(), 2u);
    EXPECT_EQ(host.refusals()[0].file, "built in: echo-plugin");
    EXPECT_NE(host.refusals()[0].reason.find("which built in has registered"), std::string::npos);
}

TEST(StaticPlugins, OfAnotherAbiAreRefusedBeforeAnythingIsCalled) {
    const sdk::PluginInfo foreign{"gcc1", "foreign", "1",
                                  [](sdk::Registrar&) { FAIL() << "it was called"; }};
    const sdk::PluginInfo empty{nullptr, nullptr, nullptr, nullptr};
    const sdk::PluginInfo* const plugins[] = {&foreign, &empty};
    KeptLines logger;
    PluginHost host{logger};
    host.enroll_built_in(plugins);
    EXPECT_EQ(host.refusals().size(), 2u);
}

}  // namespace
}  // namespace leat::host
