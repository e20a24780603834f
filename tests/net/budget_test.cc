// Stories of the memory budget: who may hold how much of it, and who goes on when it is spent.
#include <deque>

#include "tests/net/running.h"

namespace leat::net {
namespace {

constexpr std::size_t mib = 1024 * 1024;

// Answers each frame with memory of its own, and takes on no more while it is congested: what a
// session of the broker does.
std::unique_ptr<Handler> answering(sdk::Connection& connection, std::size_t bytes) {
    struct Waiting {
        std::deque<sdk::Frame> frames;
        bool paused = false;
    };
    auto waiting = std::make_shared<Waiting>();
    auto pump = [&connection, waiting, bytes] {
        while (!waiting->frames.empty() && !connection.congested()) {
            waiting->frames.pop_front();
            connection.send({slice_of(framed(std::string(bytes, 'a')))});
        }
        const bool full = connection.congested();
        if (full != std::exchange(waiting->paused, full)) {
            full ? connection.pause() : connection.resume();
        }
    };
    auto handler = std::make_unique<Handler>(connection);
    handler->on_received = [waiting, pump](std::span<sdk::Frame> frames) {
        for (sdk::Frame& frame : frames) waiting->frames.push_back(std::move(frame));
        pump();
    };
    handler->on_drained = pump;
    return handler;
}

bool answered(Client& client, std::size_t bytes) {
    return client.send(framed("please")) && client.receive(4 + bytes).size() == 4 + bytes;
}

TEST(Budget, TwoHundredReadersThatNeverReadLeaveItToOthersAndGiveItBack) {
    constexpr std::size_t answer = 16 * 1024;
    Running running{2, 32 * mib};
    const auto port =
        running.listen([](sdk::Connection& connection) { return answering(connection, answer); });
    running.start();
    Client other{port};
    std::vector<std::unique_ptr<Client>> stalled;
    std::string many;
    for (int i = 0; i < 200; ++i) many += framed("and then I shall not read");
    std::uint64_t most = 0;
    for (int i = 0; i < 200; ++i) {
        stalled.push_back(std::make_unique<Client>(port, 4096));
        ASSERT_TRUE(stalled.back()->send(many));
        ASSERT_TRUE(answered(other, answer)) << "beside " << i;
        most = std::max(most, running.memory.taken());
    }
    EXPECT_GT(most, 4 * mib) << "answers are charged";
    EXPECT_LE(most, running.memory.limit());
    EXPECT_GT(running.memory.left(), 0u);
    stalled.clear();
    EXPECT_TRUE(eventually([&] { return running.memory.taken() <= 6 * mib; }))
        << running.memory.taken();
}

TEST(Budget, AnAnswerThatIsLargerThanAllOfItStillGoesOut) {
    Running running{1, mib};
    const auto port =
        running.listen([](sdk::Connection& connection) { return answering(connection, 3 * mib); });
    running.start();
    Client one{port};
    Client two{port};
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(answered(one, 3 * mib));
        ASSERT_TRUE(answered(two, 3 * mib));
    }
}

TEST(Budget, WhatALogLendsIsNotCharged) {
    Running running{1, 4 * mib};
    const auto lent = std::make_shared<const std::string>(framed(std::string(16 * mib, 'l')));
    const auto port = running.listen(
        [&](sdk::Connection& connection) {
            auto handler = std::make_unique<Handler>(connection);
            handler->on_received = [&](auto) {
                connection.send({sdk::MemorySlice{lent, std::as_bytes(std::span{*lent}), true}});
            };
            return handler;
        },
        {.unsent_bytes = 64 * mib});
    running.start();
    Client client{port, 4096};
    ASSERT_TRUE(client.send(framed("lend me sixteen")));
    ASSERT_EQ(client.receive(1000).size(), 1000u);
    EXPECT_LE(running.memory.taken(), mib);
}

TEST(Budget, SendersThatAnnounceMuchAndSendLittleHoldLittle) {
    Running running{2, 64 * mib};
    const auto port = running.listen(echo);
    running.start();
    const std::string announced = framed(std::string(20 * mib, 's')).substr(0, 100);
    std::vector<std::unique_ptr<Client>> slow;
    for (int i = 0; i < 300; ++i) {
        slow.push_back(std::make_unique<Client>(port));
        ASSERT_TRUE(slow.back()->send(announced));
    }
    Client other{port};
    const std::string large = framed(std::string(20 * mib, 'q'));
    std::thread sender{[&] { other.send(large); }};
    EXPECT_TRUE(other.receive(large.size()) == large);
    sender.join();
    EXPECT_TRUE(eventually([&] { return running.memory.taken() <= 8 * mib; }))
        << running.memory.taken();
}

TEST(Budget, LargeFramesThatTogetherAreFarMoreThanItAllArrive) {
    // Each holds a part and wants more: without a seat for one of them they would wait for ever.
    Running running{2, 4 * mib};
    const auto port = running.listen(echo);
    running.start();
    const std::string large = framed(std::string(2 * mib - 100, 'x'));
    std::atomic<int> whole{0};
    std::vector<std::thread> clients;
    for (int i = 0; i < 12; ++i) {
        clients.emplace_back([&] {
            Client client{port};
            std::thread sender{[&] { client.send(large); }};
            if (client.receive(large.size()) == large) ++whole;
            sender.join();
        });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(whole, 12);
}

TEST(Budget, AFrameAsLargeAsThereMayBeArrivesBetweenSmallOnesThatNeverCease) {
    Running running{2, 2 * mib};
    const auto port = running.listen(echo);
    running.start();
    std::atomic<bool> enough{false};
    std::vector<std::thread> small;
    for (int i = 0; i < 4; ++i) {
        small.emplace_back([&] {
            Client client{port};
            std::string many;
            for (int n = 0; n < 10; ++n) many += framed(std::string(30'000, 'n'));
            while (!enough) {
                std::thread sender{[&] { client.send(many); }};
                EXPECT_EQ(client.receive(many.size()).size(), many.size());
                sender.join();
            }
        });
    }
    Client client{port};
    const std::string large = framed(std::string(mib, 'x'));
    for (int i = 0; i < 10; ++i) {
        std::thread sender{[&] { client.send(large); }};
        EXPECT_TRUE(client.receive(large.size()) == large);
        sender.join();
    }
    enough = true;
    for (std::thread& each : small) each.join();
}

TEST(Budget, WhoHoldsAPartOfAFrameAndDoesNotGoOnGoesFirstWhenOthersWait) {
    Running running{1, 4 * mib};
    std::atomic<int> gone{0};
    const sdk::FrameLimits limits{.partial_frame = std::chrono::seconds{2}};
    const auto port = running.listen(
        [&](sdk::Connection& connection) {
            auto handler = echo(connection);
            handler->on_closed = [&](const std::string& why) {
                if (why == "the peer began a frame and did not go on") ++gone;
            };
            return handler;
        },
        limits);
    running.start();
    const std::string large = framed(std::string(2 * mib, 'h'));
    std::vector<std::unique_ptr<Client>> halves;
    for (int i = 0; i < 4; ++i) {
        halves.push_back(std::make_unique<Client>(port));
        ASSERT_TRUE(halves.back()->send(std::string_view{large}.substr(0, mib)));
    }
    Client small{port};
    const std::string request = framed("small");
    ASSERT_TRUE(small.send(request));
    EXPECT_EQ(small.receive(request.size()), request) << "a part is left to small ones";
    Client whole{port};
    std::thread sender{[&] { whole.send(large); }};
    EXPECT_TRUE(whole.receive(large.size()) == large);
    sender.join();
    EXPECT_GT(gone, 0);
}

TEST(Budget, AByteNowAndThenIsNotProgress) {
    Running running;
    std::promise<std::string> why;
    const sdk::FrameLimits limits{.partial_frame = std::chrono::milliseconds{50}};
    const auto port = running.listen(
        [&](sdk::Connection& connection) {
            auto handler = std::make_unique<Handler>(connection);
            handler->on_closed = [&](const std::string& said) { why.set_value(said); };
            return handler;
        },
        limits);
    running.start();
    Client client{port};
    ASSERT_TRUE(client.send(framed(std::string(mib, 'd')).substr(0, 100)));
    while (client.send("d")) {
        for (int i = 0; i < 20; ++i) running.on_shard(0, [] {});
    }
    EXPECT_EQ(why.get_future().get(), "the peer began a frame and did not go on");
}

}  // namespace
}  // namespace leat::net
