#include "core/host/instances.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/host/host_under_test.h"

namespace leat::host {
namespace {

class Instances : public testing::Test {
protected:
    void SetUp() override {
        folder.add("echo.so", HOST_ECHO_PLUGIN);
        folder.add("old.so", HOST_OTHER_API_PLUGIN);
        discover(host, folder.path());
    }

    const config::InstanceConfig& storage(std::string_view toml) {
        loading = config::load_text("/broker.toml", toml);
        EXPECT_TRUE(loading.ok()) << config::text_of(loading.complaints);
        return loading.config.storage.at(0);
    }
    std::string complaints(std::string_view toml) {
        const auto& instance = storage(toml);
        InstanceMaker maker{host, loading.config.source};
        EXPECT_FALSE(maker.check_storage(instance));
        return config::text_of(maker.complaints());
    }
    sdk::Result<Instance<sdk::StorageEngine>> made(std::string_view toml,
                                                   std::filesystem::path data = {}) {
        const auto& instance = storage(toml);
        InstanceMaker maker{host, loading.config.source};
        const auto settings = maker.check_storage(instance);
        EXPECT_TRUE(settings) << config::text_of(maker.complaints());
        return maker.make_storage(instance, *settings,
                                  {.shard = shard, .data_folder = std::move(data)});
    }

    Folder folder;
    KeptLines logger;
    IdleShard shard;
    PluginHost host{logger};
    config::Loading loading;
};

TEST_F(Instances, GetTheirOptionsAndWhatIsNotGivenByDefault) {
    const auto data = folder.path() / "data" / "fast";
    {
        const auto first = made("[storage.fast]\nplugin = \"echo\"\nsize = \"64KiB\"\n", data);
        ASSERT_TRUE(first) << first.error().what;
        const auto second = made("[storage.slow]\nplugin = \"echo\"\npause = \"2s\"\n");
        ASSERT_TRUE(second) << second.error().what;
        EXPECT_EQ(first->context->data_folder(), data);
    }
    EXPECT_EQ(logger.lines[logger.lines.size() - 2],
              "echo made instance=fast size=65536 pause_ms=1000");
    EXPECT_EQ(logger.lines.back(), "echo made instance=slow size=1024 pause_ms=2000");
    struct stat status {};
    ASSERT_EQ(::stat(data.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    const auto counters = host.counters().readings();
    ASSERT_EQ(counters.size(), 2u);
    EXPECT_EQ(counters[0].instance, "fast");
    EXPECT_EQ(counters[0].counter, "made");
    EXPECT_EQ(counters[0].value, 1u);
}

TEST_F(Instances, AreRefusedForEveryWrongOptionAtOnceWithItsPlace) {
    EXPECT_EQ(complaints("[storage.fast]\n"
                         "plugin = \"echo\"\n"
                         "sise = \"1KiB\"\n"
                         "count = 10\n"
                         "pause = 5\n"
                         "extra = \"yes\"\n"
                         "fault = \"trow\"\n"),
              R"(/broker.toml:3:1: error: plugin `echo` has no option `sise`; did you mean `size`?
    sise = "1KiB"
    ^
/broker.toml:4:9: error: `count` must be 1 to 9, not 10
    count = 10
            ^
/broker.toml:5:9: error: `pause` must be a duration such as "30s" (ms, s, min, h, d), not )"
              R"(an integer
    pause = 5
            ^
/broker.toml:6:9: error: `extra` must be true or false, not a string
    extra = "yes"
            ^
/broker.toml:7:9: error: `fault` must be one of "no", "throw", "throw-int", "nothing", )"
              R"("error", not "trow"; did you mean `throw`?
    fault = "trow"
            ^
)");
}

TEST_F(Instances, OfAMissingPluginAreRefusedWithWhatWasFoundAndWhyTheRestWasNot) {
    const std::string text = complaints("[storage.fast]\nplugin = \"ehco\"\n");
    EXPECT_TRUE(text.starts_with("/broker.toml:2:10: error: there is no storage plugin `ehco`; did "
                                 "you mean `echo`? (found: echo; refused: "))
        << text;
    EXPECT_NE(text.find("old.so: built for plugin API 0"), std::string::npos) << text;
}

TEST_F(Instances, ContainWhatAFactoryDoesWrong) {
    const auto fault = [&](const std::string& kind) {
        const auto result = made("[storage.x]\nplugin = \"echo\"\nfault = \"" + kind + "\"\n");
        return result ? "made" : result.error().what;
    };
    const std::string start = "[storage.x] (plugin echo 1.2.3, " +
                              (folder.path() / "echo.so").string() + ") cannot start: ";
    EXPECT_EQ(fault("throw"), start + "its factory threw: no mood");
    EXPECT_EQ(fault("throw-int"), start + "its factory threw");
    EXPECT_EQ(fault("nothing"), start + "its factory returned nothing");
    EXPECT_EQ(fault("error"), start + "the disk is gone");
}

TEST_F(Instances, SayWhyTheirDataFolderCannotBe) {
    const auto file = folder.write("file", "");
    const auto result = made("[storage.x]\nplugin = \"echo\"\n", file / "data");
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().what.find("cannot make its data folder"), std::string::npos);
    EXPECT_FALSE(made("[storage.x]\nplugin = \"echo\"\n", file));
}

}  // namespace
}  // namespace leat::host
