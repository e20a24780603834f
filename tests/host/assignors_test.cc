// Group assignors: found, listed, refused by name, made with their options.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/host/instances.h"
#include "tests/host/host_under_test.h"

namespace leat::host {
namespace {

class Assignors : public testing::Test {
protected:
    void SetUp() override {
        folder.add("assigns.so", HOST_ASSIGNS_PLUGIN);
        discover(host, folder.path());
    }
    static config::InstanceConfig instance(std::vector<config::Entry> options = {}) {
        return {.name = "mine",
                .table = "[assignment.mine]",
                .plugin = "first_takes_all",
                .options = std::move(options)};
    }

    Folder folder;
    KeptLines logger;
    IdleShard shard;
    PluginHost host{logger};
    const config::Source source;
};

TEST_F(Assignors, AreListedWithWhatTheyPromiseAndLookAt) {
    const auto listings = host.listings();
    ASSERT_EQ(listings.size(), 2u);
    EXPECT_EQ(listings[0].kind, "assignment");
    EXPECT_EQ(listings[0].name, "first_takes_all");
    EXPECT_EQ(listings[0].capabilities, (std::vector<std::string>{"even counts", "looks at lag"}));
    EXPECT_EQ(listings[0].options.size(), 1u);
}

TEST_F(Assignors, ANameThatIsTakenRefusesTheWholePlugin) {
    folder.add("too.so", HOST_ASSIGNS_TOO_PLUGIN);
    discover(host, folder.path());
    EXPECT_EQ(refusal_of(host, "too.so"), "registers group assignor \"first_takes_all\", which " +
                                              (folder.path() / "assigns.so").string() +
                                              " has registered: remove one of the two");
    EXPECT_FALSE(host.storage().contains("assigns-too"));
}

TEST_F(Assignors, AreReloadedFromTheirFileAndWhatWasMadeWorksOn) {
    InstanceMaker maker{host, source};
    const auto settings = maker.check_assignment(instance());
    const auto before = maker.make_assignment(instance(), *settings, {.shard = shard});
    ASSERT_TRUE(before);
    folder.add("other.so", HOST_ASSIGNS_LATER_PLUGIN);
    std::filesystem::rename(folder.path() / "other.so", folder.path() / "assigns.so");
    auto old = host.reload_assignor("first_takes_all");
    ASSERT_TRUE(old) << old.error().what;
    EXPECT_EQ(host.assignment().at("first_takes_all").declaration.description, "Changed.");
    const auto after = maker.make_assignment(instance(), *settings, {.shard = shard});
    EXPECT_TRUE(after) << after.error().what;
    struct Steps final : sdk::AssignmentSteps {
        bool take(std::uint64_t) override { return true; }
    } steps;
    EXPECT_TRUE(before->object->assign({.group = "g", .members = {{.id = "a"}}}, steps));
    host.put_back(std::move(*old));
    EXPECT_NE(host.assignment().at("first_takes_all").declaration.description, "Changed.");
}

TEST_F(Assignors, AFileThatCannotBeUsedChangesNothing) {
    const auto refused = [this](const std::string& name) {
        const auto old = host.reload_assignor(name);
        return old ? std::string{"no"} : old.error().what;
    };
    EXPECT_EQ(refused("second"), "there is no group assignor second");
    const auto file = (folder.path() / "assigns.so").string();
    folder.add("assigns.so", HOST_ECHO_PLUGIN);
    EXPECT_EQ(refused("first_takes_all"), file + " has no group assignor first_takes_all now");
    std::filesystem::resize_file(folder.path() / "assigns.so", 1000);
    EXPECT_TRUE(refused("first_takes_all").starts_with(file + " "));
    std::filesystem::remove(folder.path() / "assigns.so");
    EXPECT_TRUE(refused("first_takes_all").starts_with(file + " "));
    EXPECT_TRUE(host.assignment().contains("first_takes_all"));
}

TEST_F(Assignors, AreMadeWithTheirOptionsAndAssign) {
    InstanceMaker maker{host, source};
    const auto settings = maker.check_assignment(instance());
    ASSERT_TRUE(settings) << config::text_of(maker.complaints());
    const auto made = maker.make_assignment(instance(), *settings, {.shard = shard});
    ASSERT_TRUE(made) << made.error().what;
    EXPECT_EQ(logger.lines.back(), "assignor made instance=mine slack=3");
    struct Steps final : sdk::AssignmentSteps {
        bool take(std::uint64_t) override { return true; }
    } steps;
    sdk::AssignmentInput input{.group = "g", .members = {{.id = "a"}}, .topics = {}};
    input.topics.push_back({.id = {}, .name = "t", .partitions = {{}, {}}});
    const auto assignment = made->object->assign(input, steps);
    ASSERT_TRUE(assignment);
    EXPECT_EQ(assignment->at(0), (std::vector<sdk::GroupPartition>{{0, 0}, {0, 1}}));
}

TEST_F(Assignors, AnOptionThatNoneDeclaresIsRefusedWithItsPlace) {
    InstanceMaker maker{host, source};
    config::Entry wrong;
    wrong.key = "slak";
    EXPECT_FALSE(maker.check_assignment(instance({wrong})));
    EXPECT_NE(
        config::text_of(maker.complaints()).find("has no option `slak`; did you mean `slack`?"),
        std::string::npos);
    auto missing = instance();
    missing.plugin = "uniformm";
    EXPECT_FALSE(maker.check_assignment(missing));
    EXPECT_NE(config::text_of(maker.complaints()).find("there is no assignment plugin `uniformm`"),
              std::string::npos);
}

}  // namespace
}  // namespace leat::host
