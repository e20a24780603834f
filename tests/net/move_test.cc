// A connection moves to another shard: with half a frame, with unsent answers, with a peer that
// goes meanwhile, and while the runtime stops.
#include "tests/net/running.h"

namespace leat::net {
namespace {

// Echoes every frame and, after each, goes to the other of two shards.
std::unique_ptr<Handler> wanderer(Runtime& runtime, sdk::Connection& connection, std::size_t here,
                                  std::atomic<int>& moves) {
    auto handler = echo(connection);
    auto answer = handler->on_received;
    handler->on_received = [&runtime, &connection, &moves, here,
                            answer](std::span<sdk::Frame> frames) {
        answer(frames);
        const bool goes =
            runtime.move(connection, 1 - here, [&runtime, &moves, here](sdk::Connection& there) {
                ++moves;
                return wanderer(runtime, there, 1 - here, moves);
            });
        EXPECT_TRUE(goes);
    };
    return handler;
}

TEST(Move, EveryByteArrivesOnceAndInOrderWhereverFramesAreCut) {
    Running running{2};
    std::atomic<int> moves{0};
    const auto port = running.listen([&](sdk::Connection& connection) {
        return wanderer(running.runtime, connection, 0, moves);
    });
    running.start();
    Client client{port};
    const std::string large(40'000, 'l');
    for (std::size_t cut = 1; cut < 12; ++cut) {
        const std::string first = framed("one " + std::to_string(cut));
        const std::string second = framed(large + std::to_string(cut));
        // All of the first, a part of the second; the rest when it has gone.
        ASSERT_TRUE(client.send(first + second.substr(0, cut * cut * cut)));
        EXPECT_EQ(client.receive(first.size()), first);
        ASSERT_TRUE(client.send(second.substr(cut * cut * cut)));
        EXPECT_EQ(client.receive(second.size()), second);
    }
    EXPECT_TRUE(eventually([&] { return moves >= 22; }));
}

// Far more than the sockets hold, so it is still being sent when the connection is told to go.
const std::string much(8'000'000, 'm');

TEST(Move, WhatIsQueuedIsSentBeforeItGoes) {
    Running running{2};
    std::atomic<int> moves{0};
    const auto port = running.listen([&](sdk::Connection& connection) {
        auto handler = std::make_unique<Handler>(connection);
        handler->on_received = [&](auto) {
            connection.send({slice_of(much)});
            EXPECT_TRUE(running.runtime.move(connection, 1, [&](sdk::Connection& there) {
                ++moves;
                return echo(there);
            }));
            EXPECT_FALSE(running.runtime.move(connection, 1, echo)) << "it is going already";
        };
        return handler;
    });
    running.start();
    Client client{port, 4096};
    client.send(framed("go") + framed("there"));
    EXPECT_EQ(moves, 0) << "nothing was read yet";
    EXPECT_TRUE(client.receive(much.size()) == much);
    EXPECT_TRUE(eventually([&] { return moves == 1; }));
    client.send(framed("again"));
    EXPECT_EQ(client.receive(9), framed("again"));
}

TEST(Move, AConnectionThatIsClosedBeforeItIsUnderWayStaysAndHearsIt) {
    Running running{2};
    std::atomic<int> closed{0};
    std::atomic<int> moves{0};
    const auto port = running.listen([&](sdk::Connection& connection) {
        auto handler = std::make_unique<Handler>(connection);
        handler->on_received = [&](auto) {
            connection.send({slice_of(much)});
            EXPECT_TRUE(running.runtime.move(connection, 1, [&](sdk::Connection& there) {
                ++moves;
                return echo(there);
            }));
            connection.close(sdk::Connection::Close::flush, "enough");
        };
        handler->on_closed = [&](const std::string& why) {
            EXPECT_EQ(why, "enough");
            ++closed;
        };
        return handler;
    });
    running.start();
    Client client{port, 4096};
    client.send(framed("go"));
    EXPECT_TRUE(client.receive(much.size()) == much);
    EXPECT_TRUE(client.ended());
    EXPECT_TRUE(eventually([&] { return closed == 1; }));
    EXPECT_EQ(moves, 0);
}

TEST(Move, AConnectionIsCountedOnceWhereItIs) {
    Running running{2};
    std::atomic<int> moves{0};
    const auto port = running.listen([&](sdk::Connection& connection) {
        return wanderer(running.runtime, connection, 0, moves);
    });
    running.start();
    Client client{port};
    client.send(framed("go"));
    ASSERT_TRUE(eventually([&] { return moves == 1; }));
    SocketFigures there;
    SocketFigures here;
    running.on_shard(1, [&] { there = running.runtime.sockets(1); });
    running.on_shard(0, [&] { here = running.runtime.sockets(0); });
    EXPECT_EQ(here.open, 0u);
    EXPECT_EQ(there.open, 1u);
    EXPECT_EQ(here.opened + there.opened, 1u);
    EXPECT_EQ(there.moved, 1u);
}

TEST(Move, APeerThatGoesMeanwhileLeavesNothingBehind) {
    Running running{2};
    std::atomic<int> moves{0};
    const auto port = running.listen([&](sdk::Connection& connection) {
        return wanderer(running.runtime, connection, 0, moves);
    });
    running.start();
    for (int i = 0; i < 50; ++i) {
        Client client{port};
        client.send(framed("a") + framed("b") + std::string(3, '\0'));
        if (i % 2 == 0) client.reset();
    }
    EXPECT_TRUE(eventually([&] {
        std::size_t open = 0;
        for (const std::size_t shard : {0u, 1u}) {
            running.on_shard(shard, [&] { open += running.runtime.sockets(shard).open; });
        }
        return open == 0 && running.memory.taken() <= 2 * 2 * running.memory.piece();
    }));
}

TEST(Move, TheRuntimeMayStopWhileConnectionsWander) {
    for (int i = 0; i < 20; ++i) {
        Running running{2};
        std::atomic<int> moves{0};
        const auto port = running.listen([&](sdk::Connection& connection) {
            return wanderer(running.runtime, connection, 0, moves);
        });
        running.start();
        std::vector<std::unique_ptr<Client>> clients;
        for (int k = 0; k < 8; ++k) clients.push_back(std::make_unique<Client>(port));
        for (auto& client : clients) client->send(framed("a") + std::string("\0\0\1\0begun", 9));
        EXPECT_TRUE(eventually([&] { return moves >= 1; }));
        running.stop();
    }
}

}  // namespace
}  // namespace leat::net
