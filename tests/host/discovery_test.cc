#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/host/host_under_test.h"

namespace leat::host {
namespace {

class Discovery : public testing::Test {
protected:
    void expect_refused(const std::string& name, std::string_view reason) {
        const std::string given = refusal_of(host, name);
        EXPECT_NE(given.find(reason), std::string::npos) << name << ": \"" << given << '"';
    }

    Folder folder;
    KeptLines logger;
    PluginHost host{logger};
};

TEST_F(Discovery, FindsEveryLibraryThatIsAPluginAndNamesTheRest) {
    folder.add("echo.so", HOST_ECHO_PLUGIN);
    folder.add("parrot.so", HOST_PARROT_PLUGIN);
    folder.write("README.txt", "not looked at");
    folder.write("text.so", "not a library, but long enough to hold the header of one: ........");
    folder.write("empty.so", "");
    discover(host, folder.path());
    EXPECT_EQ(host.storage().size(), 2u);
    EXPECT_EQ(host.refusals().size(), 2u);
    expect_refused("text.so", "not a plugin: it is no ELF library");
    expect_refused("empty.so", "not a plugin: it is too short");
    const auto listings = host.listings();
    ASSERT_EQ(listings.size(), 2u);
    EXPECT_EQ(listings[0].kind, "storage");
    EXPECT_EQ(listings[0].name, "echo");
    EXPECT_EQ(listings[0].origin.plugin, "echo-plugin");
    EXPECT_EQ(listings[0].origin.version, "1.2.3");
    EXPECT_EQ(listings[0].origin.file, folder.path() / "echo.so");
    EXPECT_EQ(listings[0].capabilities, std::vector<std::string>{"truncatable"});
    EXPECT_EQ(listings[0].options.size(), 5u);
}

TEST_F(Discovery, RefusesAnotherGenerationBeforeItRunsOneLineOfIt) {
    folder.add("old.so", HOST_OTHER_API_PLUGIN);
    folder.add("other.so", HOST_NO_PLUGIN_PLUGIN);
    discover(host, folder.path());
    expect_refused("old.so", "built for plugin API 0, this broker speaks 1: rebuild it against "
                             "this broker's sdk/");
    expect_refused("other.so", "it exports no leat_plugin_v1");
}

// A library with checked iterators has other containers: it would link and then corrupt.
TEST_F(Discovery, RefusesAnotherLibraryAbi) {
    folder.add("debug.so", HOST_DEBUG_ABI_PLUGIN);
    discover(host, folder.path());
    expect_refused("debug.so", " debug sanitizer:");
    expect_refused("debug.so", "rebuild it with the broker's compiler and flags");
    EXPECT_TRUE(host.storage().empty());
}

TEST_F(Discovery, RefusesFilesThatOthersCouldHaveWritten) {
    ::chmod(folder.add("group.so", HOST_ECHO_PLUGIN).c_str(), 0775);
    ::chmod(folder.add("world.so", HOST_ECHO_PLUGIN).c_str(), 0757);
    std::filesystem::create_directory(folder.path() / "folder.so");
    ASSERT_EQ(::mkfifo((folder.path() / "fifo.so").c_str(), 0644), 0);
    std::filesystem::create_symlink("nowhere", folder.path() / "dangling.so");
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(folder.add("foreign.so", HOST_ECHO_PLUGIN).c_str(), 65534, 65534), 0);
    }
    discover(host, folder.path());
    expect_refused("group.so", "writable by its group or by others");
    expect_refused("world.so", "`chmod go-w` it");
    expect_refused("folder.so", "not a regular file");
    expect_refused("fifo.so", "not a regular file");
    expect_refused("dangling.so", "cannot be opened: No such file");
    if (::geteuid() == 0) expect_refused("foreign.so", "owned by neither root nor the user");
    EXPECT_TRUE(host.storage().empty());
}

TEST_F(Discovery, RefusesTheWholeOfAPluginWhoseNameIsTaken) {
    folder.add("a.so", HOST_ECHO_PLUGIN);
    folder.add("b.so", HOST_ECHO_CHANGED_PLUGIN);
    discover(host, folder.path());
    expect_refused("b.so", "registers storage engine \"echo\", which " +
                               (folder.path() / "a.so").string() +
                               " has registered: remove one of the two");
    EXPECT_EQ(host.storage().at("echo").declaration.description, "Holds nothing.");
}

TEST_F(Discovery, LooksAtAFileOnceByWhateverPathItComes) {
    folder.add("a.so", HOST_ECHO_PLUGIN);
    std::filesystem::create_symlink(folder.path() / "a.so", folder.path() / "b.so");
    discover(host, folder.path());
    discover(host, folder.path() / "." / "");
    EXPECT_EQ(host.storage().size(), 1u);
    EXPECT_TRUE(host.refusals().empty());
}

TEST_F(Discovery, TakesNothingOfAPluginThatThrowsWhileItRegisters) {
    folder.add("throws.so", HOST_THROWS_PLUGIN);
    folder.add("reserved.so", HOST_RESERVED_PLUGIN);
    discover(host, folder.path());
    expect_refused("throws.so", "threw while it registered (not today)");
    expect_refused("reserved.so", "option `plugin` has the name that the host itself uses");
    EXPECT_TRUE(host.storage().empty());
}

TEST_F(Discovery, SearchesAbsoluteFoldersOnly) {
    host.discover(std::vector<std::filesystem::path>{"plugins", "/no/such/folder"});
    ASSERT_EQ(host.refusals().size(), 2u);
    EXPECT_EQ(host.refusals()[0].reason, "a plugin folder must be an absolute path");
    EXPECT_NE(host.refusals()[1].reason.find("cannot be searched: No such"), std::string::npos);
}

// dlopen would hand back the old image for the same path.
TEST_F(Discovery, LoadsTheNewFileWhenALibraryWasReplaced) {
    folder.add("echo.so", HOST_ECHO_PLUGIN);
    discover(host, folder.path());
    folder.add("echo.so", HOST_ECHO_CHANGED_PLUGIN);
    PluginHost again{logger};
    discover(again, folder.path());
    EXPECT_EQ(host.storage().at("echo").declaration.description, "Holds nothing.");
    EXPECT_EQ(again.storage().at("echo").declaration.description, "Changed.");
}

}  // namespace
}  // namespace leat::host
