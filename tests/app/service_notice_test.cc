// What `leat serve` tells the service manager that started it: systemd's Type=notify.
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>

#include "tests/app/child.h"
#include "tests/app/raw_client.h"

namespace leat::app {
namespace {

// The manager's end: a socket in the test's folder or, by a name that begins with '@', in the
// abstract namespace.
class ServiceManager {
public:
    explicit ServiceManager(std::string name) : name_{std::move(name)} {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, name_.data(), name_.size());
        if (name_[0] == '@') address.sun_path[0] = '\0';
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
        EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    }
    ServiceManager(const ServiceManager&) = delete;
    ServiceManager& operator=(const ServiceManager&) = delete;
    ~ServiceManager() { ::close(socket_); }

    std::vector<std::string> environment() const { return {"NOTIFY_SOCKET=" + name_}; }

    // The next datagram; empty if none comes.
    std::string hears() {
        pollfd readable{.fd = socket_, .events = POLLIN, .revents = 0};
        const auto patience = std::chrono::milliseconds{Child::deadline}.count();
        if (::poll(&readable, 1, static_cast<int>(patience)) != 1) return {};
        char bytes[512];
        const auto size = ::recv(socket_, bytes, sizeof bytes, 0);
        return {bytes, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    }
    bool heard_nothing_more() {
        char byte;
        return ::recv(socket_, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
    }

private:
    std::string name_;
    int socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

std::string abstract_name() {
    static int count = 0;
    return "@leat-service-notice-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

TEST(ServiceNotice, ReadyIsToldWhenClientsAreAnsweredAndStoppingWhenTheDrainBegins) {
    const Folder folder;
    ServiceManager manager{folder / "notify"};
    Child broker{{"serve", folder.config()}, manager.environment()};
    EXPECT_EQ(manager.hears(), "READY=1\nSTATUS=serving\n") << broker.err();
    const RawClient client{broker.port()};
    EXPECT_TRUE(manager.heard_nothing_more());

    broker.signal(SIGTERM);
    EXPECT_EQ(manager.hears(), "STOPPING=1\nSTATUS=stopping\n");
    EXPECT_EQ(broker.wait(), 0) << broker.err();
    EXPECT_TRUE(manager.heard_nothing_more());
}

TEST(ServiceNotice, TheManagersSocketMayBeInTheAbstractNamespace) {
    const Folder folder;
    ServiceManager manager{abstract_name()};
    Child broker{{"serve", folder.config()}, manager.environment()};
    EXPECT_EQ(manager.hears(), "READY=1\nSTATUS=serving\n") << broker.err();
}

TEST(ServiceNotice, ABrokerThatCannotServeIsNeverReady) {
    const Folder folder;
    ServiceManager manager{folder / "notify"};
    Child first{{"serve", folder.config()}};
    const auto taken = std::to_string(first.port());
    const std::string second =
        folder.write("second.toml",
                     "data_dir = \"second\"\n[[listener]]\nname = \"plain\"\n"
                     "bind = \"127.0.0.1:" +
                         taken + "\"\n");
    Child broker{{"serve", second}, manager.environment()};
    EXPECT_EQ(broker.wait(), 1);
    EXPECT_EQ(manager.hears(), "STOPPING=1\nSTATUS=stopping\n");
    EXPECT_TRUE(manager.heard_nothing_more());
}

TEST(ServiceNotice, AManagerThatCannotBeToldIsALineInTheLogAndTheBrokerServes) {
    const Folder folder;
    const std::string gone = folder / "gone";
    for (const std::string& name : {gone, std::string{"vsock:2:1"}, "/" + std::string(200, 'x')}) {
        Child broker{{"serve", folder.config()}, {"NOTIFY_SOCKET=" + name}};
        EXPECT_NE(broker.port(), 0);
        EXPECT_TRUE(
            broker.says("warn  service manager reason=\"cannot tell NOTIFY_SOCKET (" + name))
            << broker.err();
        broker.signal(SIGTERM);
        EXPECT_EQ(broker.wait(), 0) << broker.err();
    }
}

}  // namespace
}  // namespace leat::app
