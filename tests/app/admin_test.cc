// What changes a running broker: the socket in its data folder, and `leat admin`.
#include <sys/stat.h>
#include <sys/un.h>

#include "tests/app/child.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

class AdminTest : public testing::Test {
protected:
    Ended admin(std::vector<std::string> words) const {
        words.insert(words.begin(), "admin");
        words.insert(words.end(), {"--config", config});
        return run(words);
    }

    const Folder folder;
    const std::string config = folder.config("[network]\nshards = 1\n");
    Child broker{{"serve", config}};
    const std::uint16_t port = broker.port();
};

TEST_F(AdminTest, TheLogLevelChangesWhileTheBrokerRuns) {
    EXPECT_EQ(admin({"log-level"}).out, "info\n");
    EXPECT_EQ(admin({"log-level", "debug"}).out, "debug\n");
    { const RawClient client{port}; }
    EXPECT_TRUE(broker.says("debug connection 127.0.0.1")) << broker.err();
    EXPECT_EQ(admin({"log-level", "error"}).out, "error\n");
    const auto wrong = admin({"log-level", "loud"});
    EXPECT_EQ(wrong.code, 1);
    EXPECT_EQ(wrong.err, "level is debug, info, warn or error\n");
    EXPECT_EQ(admin({"log-level"}).out, "error\n");
}

TEST_F(AdminTest, StopEndsTheBrokerInOrder) {
    EXPECT_EQ(admin({"stop"}).out, "stopping\n");
    EXPECT_EQ(broker.wait(), 0) << broker.err();
    EXPECT_EQ(count(broker.err(), "stopping reason=\"the admin socket\""), 1u) << broker.err();
    EXPECT_EQ(count(broker.err(), "stopped cleanly"), 1u) << broker.err();
    const auto again = admin({"stop"});
    EXPECT_EQ(again.code, 1);
    EXPECT_EQ(count(again.err, "no broker answers at "), 1u) << again.err;
}

TEST_F(AdminTest, AReloadOfWhatIsNotThereChangesNothingAndSaysWhy) {
    const auto reload = [this](const std::string& name) {
        return run({"plugins", "reload", name, "--config", config});
    };
    const auto missing = reload("sticki");
    EXPECT_EQ(missing.code, 1);
    EXPECT_EQ(missing.err, "there is no group assignor sticki\n");
    EXPECT_TRUE(broker.says("plugin not reloaded plugin=sticki")) << broker.err();
    const auto well = reload("uniform");
    EXPECT_EQ(well.code, 0) << well.err;
    EXPECT_TRUE(well.out.starts_with("uniform: version ")) << well.out;
    EXPECT_TRUE(broker.says("plugin reloaded plugin=uniform")) << broker.err();
    EXPECT_EQ(run({"plugins", "reload"}).code, 2);
}

TEST_F(AdminTest, ItTellsMetricsAlsoWhereNobodyListensToHttp) {
    const auto told = admin({"metrics"});
    EXPECT_EQ(told.code, 0);
    EXPECT_EQ(count(told.out, "\nleat_ready 1\n"), 1u) << told.out;
    EXPECT_EQ(admin({"ready"}).out, "ready\n");
}

TEST_F(AdminTest, NobodyElseMayOpenTheSocket) {
    const std::string path = folder / "data/admin.sock";
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_TRUE(S_ISSOCK(status.st_mode));
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(AdminTest, TopShowsARunningBrokerOnceWhereNoTerminalIs) {
    RawClient client{port};
    ASSERT_EQ(create_topic(client, "orders", 1), wire::ErrorCode::none);
    ASSERT_EQ(produce(client, "orders", 0, batch_of(3)).error_code, wire::ErrorCode::none);
    const auto shown = run({"top", "--config", config});
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_TRUE(shown.out.starts_with("ready ")) << shown.out;
    EXPECT_EQ(count(shown.out, "\nProduce "), 1u) << shown.out;
    EXPECT_EQ(count(shown.out, "\norders "), 1u) << shown.out;
    EXPECT_EQ(count(shown.out, "\x1b"), 0u) << "nothing that only a terminal reads";
    broker.signal(SIGTERM);
    broker.wait();
    const auto gone = run({"top", "--config", config});
    EXPECT_EQ(gone.code, 1);
    EXPECT_EQ(count(gone.err, "no broker answers at "), 1u) << gone.err;
}

// Also where somebody has opened the permissions of file and folders.
TEST_F(AdminTest, AnotherUserIsRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    const std::string path = folder / "data/admin.sock";
    for (const auto& each : {(folder / "").string(), (folder / "data").string(), path}) {
        ASSERT_EQ(::chmod(each.c_str(), 0777), 0) << each;
    }
    int pipe[2];
    ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        sockaddr_un to{};
        to.sun_family = AF_UNIX;
        std::strncpy(to.sun_path, path.c_str(), sizeof to.sun_path - 1);
        const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        char answer[512] = {};
        if (::setuid(65534) != 0 ||
            ::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
            ::_exit(2);
        ssize_t size = ::recv(socket, answer, sizeof answer, 0);
        size = ::write(pipe[1], answer, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        ::_exit(size > 0 ? 0 : 3);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    char answer[512] = {};
    ASSERT_GT(::read(pipe[0], answer, sizeof answer), 0);
    EXPECT_TRUE(std::string_view{answer}.starts_with("HTTP/1.1 403 ")) << answer;
    ::close(pipe[0]);
    ::close(pipe[1]);
}

TEST_F(AdminTest, ASocketThatAKilledBrokerLeftIsReplaced) {
    broker.signal(SIGKILL);
    broker.wait();
    Child again{{"serve", config}};
    ASSERT_NE(again.port(), 0);
    EXPECT_EQ(admin({"log-level"}).out, "info\n");
}

}  // namespace
}  // namespace leat::app
