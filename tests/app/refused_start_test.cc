// Starts that cannot be: one sentence on stderr that says what to do, and exit code 1.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "tests/app/child.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

class RefusedStart : public testing::Test {
protected:
    // Its last line on stderr is the sentence; log lines may stand before it.
    void expect_refused(const std::string& config, const std::vector<std::string>& parts) {
        const auto [code, out, err] = run({"serve", config});
        EXPECT_EQ(code, 1) << err;
        EXPECT_EQ(out, "");
        EXPECT_EQ(count(err, "leat: "), 1u) << err;
        const auto at = err.find("leat: ");
        ASSERT_NE(at, std::string::npos) << err;
        const std::string sentence = err.substr(at);
        EXPECT_EQ(count(sentence, "\n"), 1u) << err;
        for (const auto& part : parts) {
            EXPECT_NE(sentence.find(part), std::string::npos) << part << "\n" << err;
        }
        EXPECT_EQ(count(err, " error "), 0u) << "the sentence is enough\n" << err;
    }
    void start_and_stop(const std::string& config) {
        Child broker{{"serve", config}};
        ASSERT_NE(broker.port(), 0);
        broker.signal(SIGTERM);
        ASSERT_EQ(broker.wait(), 0);
    }

    const Folder folder;
};

TEST_F(RefusedStart, AnAssignorThatIsNotThereIsRefusedWhereItIsNamed) {
    const auto config = folder.config("[groups.\"orders-*\"]\nassignor = \"unifrom\"\n");
    const auto [code, out, err] = run({"serve", config});
    EXPECT_EQ(code, 1);
    EXPECT_EQ(count(err, "error: there is no assignment plugin `unifrom`; did you mean `uniform`?"),
              1u)
        << err;
    EXPECT_EQ(count(run({"check", config}).err, "`unifrom`; did you mean `uniform`?"), 1u);
}

TEST_F(RefusedStart, APortThatIsTakenAndItCostsNoRecoveryLater) {
    const auto ours = folder.write("ours.toml",
                                   "data_dir = \"ours\"\n[[listener]]\nname = "
                                   "\"plain\"\nbind = \"127.0.0.1:0\"\n");
    {
        Child first{{"serve", ours}};
        RawClient client{first.port()};
        ASSERT_EQ(create_topic(client, "t", 1), wire::ErrorCode::none);
        ASSERT_EQ(produce(client, "t", 0, batch_of(3)).error_code, wire::ErrorCode::none);
        first.signal(SIGTERM);
        ASSERT_EQ(first.wait(), 0);
    }
    Child other{{"serve", folder.config()}};
    const auto port = std::to_string(other.port());
    const auto taken = folder.write("taken.toml",
                                    "data_dir = \"ours\"\n[[listener]]\nname = \"plain\"\nbind = "
                                    "\"127.0.0.1:" +
                                        port + "\"\n");
    expect_refused(taken, {"listener `plain` (" + taken + ":3:8)",
                           "127.0.0.1:" + port + " is in use", "choose another port"});
    Child again{{"serve", ours}};
    RawClient reader{again.port()};
    EXPECT_EQ(fetch(reader, "t", 0, 0).high_watermark, 3);
    again.signal(SIGTERM);
    EXPECT_EQ(again.wait(), 0);
    EXPECT_EQ(count(again.err(), "not clean"), 0u) << again.err();
}

TEST_F(RefusedStart, AListenerWhoseHostIsNotFound) {
    const auto config = folder.write(
        "host.toml", "[[listener]]\nname = \"plain\"\nbind = \"no.such.host.invalid:0\"\n");
    expect_refused(
        config, {config + ":2:8", "'no.such.host.invalid' was not found", "correct its spelling"});
}

TEST_F(RefusedStart, ADataFolderThatAnotherBrokerHas) {
    const auto config = folder.config();
    Child first{{"serve", config}};
    ASSERT_NE(first.port(), 0);
    expect_refused(config, {(folder / "data").string(), "in use by another broker", "stop it"});
}

TEST_F(RefusedStart, ADataFolderOfAnotherNodeOrCluster) {
    start_and_stop(folder.config());
    expect_refused(folder.write("node.toml", "node_id = 2\n"),
                   {"belongs to node 1, not 2", "set node_id, or name another data_dir"});
    expect_refused(folder.write("cluster.toml", "cluster_id = \"other\"\n"),
                   {"belongs to cluster ", ", not other", "set cluster_id"});
}

TEST_F(RefusedStart, ADataFolderWhoseIdentityIsDamaged) {
    start_and_stop(folder.config());
    folder.write("data/meta.properties", "");
    expect_refused(folder.config(), {"meta.properties has no node.id", "restore the file"});
}

TEST_F(RefusedStart, ADataFolderThatIsAFile) {
    expect_refused(folder.write("self.toml", "data_dir = \"self.toml\"\n"),
                   {"self.toml: Not a directory", "name another data_dir"});
}

TEST_F(RefusedStart, ALogFileThatCannotBeOpened) {
    expect_refused(folder.config("[log]\nfile = \"nowhere/log\"\n"),
                   {"cannot open the log file", "nowhere/log"});
}

TEST_F(RefusedStart, WithALogFileTheReasonIsInItToo) {
    start_and_stop(folder.config());
    expect_refused(folder.write("node.toml", "node_id = 2\n[log]\nfile = \"log\"\n"),
                   {"belongs to node 1, not 2"});
    std::ostringstream log;
    log << std::ifstream{folder / "log"}.rdbuf();
    EXPECT_EQ(count(log.str(), "error stopped reason=\"the data folder "), 1u) << log.str();
}

// A small file system of its own at `disk`; needs the right to mount.
class RefusedByTheDisk : public RefusedStart {
protected:
    void SetUp() override {
        std::filesystem::create_directory(disk);
        if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
            GTEST_SKIP() << "only root may mount a small disk: " << std::strerror(errno);
        }
        mounted = true;
    }
    void TearDown() override {
        if (!mounted) return;
        EXPECT_EQ(::umount(disk.c_str()), 0);
    }
    void fill() {
        std::ofstream file{disk / "filler", std::ios::binary};
        const std::string page(4096, 'x');
        while (file.write(page.data(), 4096).flush()) {
        }
    }

    const std::filesystem::path disk = folder / "disk";
    const std::string config =
        folder.write("disk.toml",
                     "data_dir = \"disk/data\"\n[[listener]]\nname = \"plain\"\nbind "
                     "= \"127.0.0.1:0\"\n");
    bool mounted = false;
};

TEST_F(RefusedByTheDisk, ThatIsReadOnly) {
    ASSERT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, ""), 0);
    expect_refused(config, {"disk/data", "Read-only file system", "let the broker's user write"});
}

TEST_F(RefusedByTheDisk, ThatIsReadOnlySinceTheLastStop) {
    start_and_stop(config);
    ASSERT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, ""), 0);
    expect_refused(config, {"disk/data", "Read-only file system", "let the broker's user write"});
}

TEST_F(RefusedByTheDisk, ThatIsFullBeforeTheFirstStart) {
    fill();
    expect_refused(config, {"disk/data", "No space left on device", "make room there"});
}

TEST_F(RefusedByTheDisk, ThatGetsFullLaterButWhatIsKeptIsServedAndTheStopSaysWhy) {
    const auto large = [] { return batch_of(2000); };
    {
        Child broker{{"serve", config}};
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), wire::ErrorCode::none);
        ASSERT_EQ(produce(client, "t", 0, batch_of(3)).error_code, wire::ErrorCode::none);
        fill();
        EXPECT_NE(produce(client, "t", 0, large()).error_code, wire::ErrorCode::none);
        EXPECT_EQ(fetch(client, "t", 0, 0).high_watermark, 3);
        broker.signal(SIGTERM);
        EXPECT_EQ(broker.wait(), 1) << "not everything could be noted\n" << broker.err();
        EXPECT_EQ(count(broker.err(), "append refused: the device is full"), 1u) << broker.err();
        EXPECT_EQ(count(broker.err(), "leat: "), 1u) << broker.err();
        EXPECT_EQ(count(broker.err(), "stopped cleanly"), 0u) << broker.err();
    }
    std::filesystem::remove(disk / "filler");
    Child again{{"serve", config}};
    RawClient reader{again.port()};
    EXPECT_EQ(fetch(reader, "t", 0, 0).high_watermark, 3);
    EXPECT_EQ(produce(reader, "t", 0, large()).base_offset, 3);
}

}  // namespace
}  // namespace leat::app
