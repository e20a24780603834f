// Who is alive when: closing from every callback, limits, a spent budget, storms of connections.
#include <sys/resource.h>

#include "tests/net/running.h"

namespace leat::net {
namespace {

using Close = sdk::Connection::Close;

TEST(Lifetime, AConnectionMayBeClosedFromEveryCallback) {
    enum class Where { accept, received, twice, posted, after_send, offloaded };
    for (const Where where : {Where::accept, Where::received, Where::twice, Where::posted,
                              Where::after_send, Where::offloaded}) {
        for (const Close how : {Close::now, Close::flush}) {
            Running running;
            std::atomic<int> closed{0};
            const auto port = running.listen([&](sdk::Connection& connection) {
                auto handler = std::make_unique<Handler>(connection);
                auto alive = std::make_shared<bool>(true);
                if (where == Where::accept) connection.close(how, "at once");
                handler->on_received = [&, alive, how, where](auto) {
                    auto close = [&connection, alive, how] {
                        if (*alive) connection.close(how, "enough");
                    };
                    if (where == Where::posted) return connection.shard().post(close);
                    if (where == Where::offloaded) return connection.shard().offload([] {}, close);
                    if (where == Where::after_send) connection.send({slice_of("last")});
                    close();
                    if (where == Where::twice) close();
                    connection.send({slice_of("into the void")});
                };
                handler->on_closed = [&, alive](const std::string&) {
                    *alive = false;
                    connection.send({slice_of("too late")});
                    ++closed;
                };
                return handler;
            });
            running.start();
            Client client{port};
            client.send(framed("a") + framed("b") + framed("c"));
            const std::string said = client.receive(100);
            if (where == Where::after_send && how == Close::flush) {
                EXPECT_EQ(said, "last");
            }
            EXPECT_TRUE(eventually([&] { return closed == 1; }));
        }
    }
}

TEST(Lifetime, ARefusedConnectionIsClosed) {
    Running running;
    const auto port = running.listen([](sdk::Connection&) { return nullptr; });
    running.start();
    Client client{port};
    EXPECT_TRUE(client.ended());
}

TEST(Lifetime, StoppingClosesEveryConnectionAndTellsItsHandler) {
    Running running{2};
    std::atomic<int> opened{0};
    std::atomic<int> closed{0};
    const auto port = running.listen([&](sdk::Connection& connection) {
        auto handler = echo(connection);
        handler->on_closed = [&](const std::string&) { ++closed; };
        ++opened;
        return handler;
    });
    running.start();
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<Client>(port));
    ASSERT_TRUE(eventually([&] { return opened == 20; }));
    running.stop();
    EXPECT_EQ(closed, 20);
    for (auto& client : clients) EXPECT_TRUE(client->ended());
}

TEST(Lifetime, ASpentBudgetStopsReadingAndComesBackWithTheFrames) {
    Running running{1, 1 << 20};
    std::vector<sdk::Frame> kept;  // Of shard 0.
    std::atomic<std::size_t> count{0};
    const auto port = running.listen([&](sdk::Connection& connection) {
        auto handler = std::make_unique<Handler>(connection);
        handler->on_received = [&](std::span<sdk::Frame> frames) {
            for (sdk::Frame& frame : frames) kept.push_back(std::move(frame));
            count = kept.size();
        };
        return handler;
    });
    running.start();
    std::vector<std::thread> senders;
    std::atomic<int> sent{0};
    for (int i = 0; i < 4; ++i) {
        senders.emplace_back([&] {
            Client client{port};
            for (int n = 0; n < 20; ++n) client.send(framed(std::string(150'000, 'x')));
            ++sent;
            while (count < 80) std::this_thread::yield();
        });
    }
    std::size_t total = 0;
    std::size_t most = 0;
    EXPECT_TRUE(eventually([&] {
        running.on_shard(0, [&] {
            most = std::max(most, kept.size());
            total += kept.size();
            kept.clear();
            count = total;
        });
        return total == 80;
    }));
    count = 80;
    for (std::thread& sender : senders) sender.join();
    EXPECT_LE(most, 7u);
    running.stop();
    kept.clear();
}

TEST(Lifetime, AFrameLetGoOnAnotherThreadGoesHome) {
    Running running{2, 8 << 20};
    std::mutex mutex;
    std::vector<sdk::Frame> kept;
    std::atomic<std::size_t> count{0};
    const auto port = running.listen([&](sdk::Connection& connection) {
        auto handler = std::make_unique<Handler>(connection);
        handler->on_received = [&](std::span<sdk::Frame> frames) {
            const std::lock_guard lock{mutex};
            for (sdk::Frame& frame : frames) kept.push_back(std::move(frame));
            count = kept.size();
        };
        return handler;
    });
    running.start();
    Client one{port};
    Client two{port};
    for (int round = 0; round < 50; ++round) {
        for (Client* client : {&one, &two}) client->send(framed(std::string(500'000, 'y')));
        ASSERT_TRUE(eventually([&] { return count == 2; }));
        const std::lock_guard lock{mutex};
        kept.clear();  // On this thread, which is no shard's.
        count = 0;
    }
}

TEST(Lifetime, AConnectionStormOfResetsLeavesTheListenerListening) {
    Running running{2};
    const auto port = running.listen(echo);
    running.start();
    for (int i = 0; i < 10'000; ++i) {
        Client client{port};
        client.reset();
    }
    Client client{port};
    const std::string request = framed("still there?");
    client.send(request);
    EXPECT_EQ(client.receive(request.size()), request);
}

TEST(Lifetime, ConnectionsBeyondTheLimitAreClosedAtOnceAndTheLogSaysSoOnce) {
    struct Limit {
        std::size_t all;
        std::size_t per_address;
        std::string said;
    };
    for (const Limit& limit : {Limit{3, 100, "the broker has its 3 connections"},
                               Limit{100, 3, "its address has its 3 connections"}}) {
        std::mutex mutex;
        std::vector<std::string> lines;
        runtime::MemoryBudget memory{{.bytes = 64 << 20}};
        Running running{{.memory = memory,
                         .most_connections = limit.all,
                         .most_connections_per_address = limit.per_address,
                         .log = [&](sdk::LogLevel level, const std::string& line) {
                             const std::lock_guard lock{mutex};
                             if (level == sdk::LogLevel::warn) lines.push_back(line);
                         }}};
        // Two listeners: the limits are of all together.
        const auto port = running.listen(echo);
        const auto second_port = running.listen(echo);
        running.start();
        const std::string request = framed("in?");
        const auto served = [&](Client& client) {
            return client.send(request) && client.receive(request.size()) == request;
        };
        auto first = std::make_unique<Client>(port);
        Client second{second_port};
        Client third{port};
        EXPECT_TRUE(served(*first) && served(second) && served(third));
        for (int i = 0; i < 20; ++i) {
            Client fourth{port};
            EXPECT_FALSE(served(fourth));
        }
        first.reset();
        EXPECT_TRUE(eventually([&] {
            Client next{port};
            return served(next);
        }));
        running.stop();
        ASSERT_EQ(lines.size(), 1u);
        EXPECT_NE(lines[0].find(limit.said), std::string::npos) << lines[0];
    }
}

TEST(Lifetime, RunningOutOfDescriptorsStopsNeitherTheListenerNorTheConnectionsThereAre) {
    std::atomic<int> lines{0};
    runtime::MemoryBudget memory{{.bytes = 64 << 20}};
    Running running{{.memory = memory,
                     .most_connections = 1000,
                     .log = [&](sdk::LogLevel level, const std::string& line) {
                         if (level != sdk::LogLevel::warn) return;
                         ++lines;
                         EXPECT_NE(line.find("raise the limit of open files"), std::string::npos);
                     }}};
    const auto port = running.listen(echo);
    running.start();
    const std::string request = framed("hello");
    Client before{port};
    before.send(request);
    EXPECT_EQ(before.receive(request.size()), request);
    rlimit old{};
    ::getrlimit(RLIMIT_NOFILE, &old);
    const rlimit few{64, old.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    {
        std::vector<std::unique_ptr<Client>> clients;
        for (int i = 0; i < 200; ++i) clients.push_back(std::make_unique<Client>(port));
        before.send(request);
        EXPECT_EQ(before.receive(request.size()), request);
        EXPECT_TRUE(eventually([&] { return lines != 0; }));
    }
    ::setrlimit(RLIMIT_NOFILE, &old);
    EXPECT_TRUE(eventually([&] {
        Client after{port};
        return after.send(request) && after.receive(request.size()) == request;
    }));
    EXPECT_EQ(lines, 1);
}

TEST(Network, AnAddressInUseIsNamed) {
    Running running;
    const auto port = running.listen(echo);
    const auto again = running.runtime.listen({.bind = {"127.0.0.1", port}}, echo);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, sdk::Errc::already_exists);
    EXPECT_TRUE(again.error().what.starts_with("127.0.0.1:" + std::to_string(port) + " is in use"));
}

TEST(Network, DialsByAddressAndByNameAndSaysWhatWentWrong) {
    Running running{2};
    const auto port = running.listen(echo);
    running.start();
    const auto dial = [&](sdk::Endpoint to) {
        std::promise<std::string> said;
        auto accept = [&](sdk::Connection& connection) {
            auto handler = std::make_unique<Handler>(connection);
            handler->on_received = [&](auto frames) { said.set_value(text_in(frames[0])); };
            return handler;
        };
        running.on_shard(1, [&] {
            running.runtime.connect(running.runtime.at(1), to, {}, accept, [&](auto connected) {
                if (!connected) return said.set_value(connected.error().what);
                (*connected)->send({slice_of(framed("over there"))});
            });
        });
        return said.get_future().get();
    };
    EXPECT_EQ(dial({"127.0.0.1", port}), "over there");
    EXPECT_EQ(dial({"localhost", port}), "over there");
    EXPECT_NE(dial({"127.0.0.1", 1}).find("Connection refused"), std::string::npos);
    EXPECT_NE(dial({"no-such-host.invalid", 1}).find("not found"), std::string::npos);
}

}  // namespace
}  // namespace leat::net
