#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <random>

#include "tests/net/running.h"

namespace leat::net {
namespace {

std::string letters(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) {
        text[i] = static_cast<char>('a' + i * 7 % 26 + i / 4096 % 2);
    }
    return text;
}

TEST(Connection, AFrameSplitAtEveryByteArrivesWhole) {
    Running running;
    const auto port = running.listen(echo);
    running.start();
    const std::string two = framed("first frame") + framed("second");
    for (std::size_t cut = 1; cut < two.size(); ++cut) {
        Client client{port};
        ASSERT_TRUE(client.send(std::string_view{two}.substr(0, cut)));
        std::this_thread::yield();
        ASSERT_TRUE(client.send(std::string_view{two}.substr(cut)));
        EXPECT_EQ(client.receive(two.size()), two) << "cut at " << cut;
    }
}

TEST(Connection, ManyFramesInOneSegmentAreHandedOverTogetherAndAnsweredInOrder) {
    Running running;
    std::atomic<std::size_t> calls{0};
    const auto port = running.listen([&](sdk::Connection& connection) {
        auto handler = echo(connection);
        handler->on_received = [&calls, inner = std::move(handler->on_received)](auto frames) {
            ++calls;
            inner(frames);
        };
        return handler;
    });
    running.start();
    std::string all;
    for (int i = 0; i < 1000; ++i) all += framed("request " + std::to_string(i));
    Client client{port};
    ASSERT_TRUE(client.send(all));
    EXPECT_EQ(client.receive(all.size()), all);
    EXPECT_LT(calls.load(), 200u);
}

TEST(Connection, FramesOfEverySizeAroundEveryBufferComeBackUnchanged) {
    Running running;
    const auto port = running.listen(echo);
    running.start();
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    std::string all;
    for (const std::size_t around : {1u, 4096u, 32768u, 65536u, 100'000u, 1'048'576u}) {
        for (std::size_t size = around > 6 ? around - 6 : 1; size < around + 6; ++size) {
            all += framed(letters(size));
            all += framed(letters(1 + random() % 3000));
        }
    }
    Client client{port};
    std::thread sender{[&] {
        for (std::size_t at = 0; at < all.size();) {
            const std::size_t size = std::min<std::size_t>(1 + random() % 200'000, all.size() - at);
            if (!client.send(std::string_view{all}.substr(at, size))) return;
            at += size;
        }
    }};
    EXPECT_TRUE(client.receive(all.size()) == all);
    sender.join();
}

TEST(Connection, AFrameOfThirtyMegabytesIsReadWithoutASecondCopyOfIt) {
    Running running;
    const auto port = running.listen(echo);
    running.start();
    const std::string huge = framed(letters(30 << 20));
    Client client{port};
    std::thread sender{[&] { client.send(huge); }};
    EXPECT_TRUE(client.receive(huge.size()) == huge);
    sender.join();
}

struct Refusal {
    std::string bytes;
    std::string sentence;
};

TEST(Connection, WhatIsNotAFrameClosesTheConnectionWithASentence) {
    const std::vector<Refusal> refusals{
        {std::string("\xff\xff\xff\xff", 4), "negative length, -1"},
        {std::string("\0\0\0\0", 4), "no bytes"},
        {std::string("\x06\x40\0\x01", 4), "more than the 104857600 that are allowed"},
        {std::string("\x16\x03\x01\x02\0\x01", 6), "TLS"},
        {"GET / HTTP/1.1\r\n\r\n", "HTTP"},
        {framed("ab").substr(0, 5), "inside a frame"},
        {"", "the peer closed the connection"},
    };
    for (const Refusal& refusal : refusals) {
        std::promise<std::string> why;
        Running running{1, 512 << 20};
        const auto port = running.listen([&](sdk::Connection& connection) {
            auto handler = std::make_unique<Handler>(connection);
            handler->on_closed = [&](const std::string& said) { why.set_value(said); };
            return handler;
        });
        running.start();
        Client client{port};
        client.send(refusal.bytes);
        client.half_close();
        EXPECT_TRUE(client.ended());
        EXPECT_NE(why.get_future().get().find(refusal.sentence), std::string::npos)
            << refusal.sentence;
    }
}

TEST(Connection, APeerThatStopsSendingStillGetsTheAnswersToWhatItSent) {
    Running running;
    const auto port = running.listen(echo);
    running.start();
    Client client{port};
    const std::string request = framed("the last words");
    client.send(request);
    client.half_close();
    EXPECT_EQ(client.receive(request.size()), request);
    EXPECT_TRUE(client.ended());
}

TEST(Connection, APausedHandlerGetsNothingUntilItResumes) {
    Running running;
    std::atomic<int> got{0};
    sdk::Connection* connection = nullptr;
    const auto port = running.listen([&](sdk::Connection& made) {
        connection = &made;
        auto handler = std::make_unique<Handler>(made);
        handler->on_received = [&](auto frames) {
            got += static_cast<int>(frames.size());
            made.pause();
        };
        return handler;
    });
    running.start();
    Client client{port};
    client.send(framed("one"));
    ASSERT_TRUE(eventually([&] { return got == 1; }));
    client.send(framed("two"));
    for (int i = 0; i < 100; ++i) running.on_shard(0, [] {});
    EXPECT_EQ(got, 1);
    running.on_shard(0, [&] { connection->resume(); });
    EXPECT_TRUE(eventually([&] { return got == 2; }));
}

TEST(Connection, AReaderThatNeverReadsIsHeardOfAndThenClosed) {
    Running running;
    std::atomic<bool> congested{false};
    std::promise<std::string> why;
    const sdk::FrameLimits limits{.unsent_bytes = 1 << 20,
                                  .write_stall = std::chrono::milliseconds{50}};
    const auto port = running.listen(
        [&](sdk::Connection& connection) {
            auto handler = echo(connection);
            handler->on_received = [&, inner = std::move(handler->on_received)](auto frames) {
                inner(frames);
                if (connection.congested()) congested = true;
            };
            handler->on_closed = [&](const std::string& said) { why.set_value(said); };
            return handler;
        },
        limits);
    running.start();
    Client client{port, 4096};
    const std::string request = framed(letters(100'000));
    while (client.send(request)) {
    }
    EXPECT_TRUE(congested);
    EXPECT_EQ(why.get_future().get(), "the peer does not read what it asked for");
    EXPECT_LE(running.memory.taken(), 16u << 20);
}

TEST(Connection, ASlowReaderIsDrainedAndGoesOn) {
    Running running;
    std::atomic<int> drained{0};
    const sdk::FrameLimits limits{.unsent_bytes = 256 << 10};
    const auto port = running.listen(
        [&](sdk::Connection& connection) {
            auto handler = echo(connection);
            handler->on_drained = [&] { ++drained; };
            return handler;
        },
        limits);
    running.start();
    Client client{port, 4096};
    std::string all;
    for (int i = 0; i < 200; ++i) all += framed(letters(100'000));
    std::thread sender{[&] { client.send(all); }};
    ASSERT_TRUE(eventually([&] { return running.memory.taken() > 256u << 10; }));
    EXPECT_TRUE(client.receive(all.size()) == all);
    sender.join();
    EXPECT_GT(drained, 0);
}

TEST(Connection, SilenceAndHalfAFrameHaveTheirDeadlines) {
    const sdk::FrameLimits limits{.idle = std::chrono::milliseconds{60},
                                  .partial_frame = std::chrono::milliseconds{30}};
    for (const bool begun : {false, true}) {
        Running running;
        std::promise<std::string> why;
        const auto port = running.listen(
            [&](sdk::Connection& connection) {
                auto handler = std::make_unique<Handler>(connection);
                handler->on_closed = [&](const std::string& said) { why.set_value(said); };
                return handler;
            },
            limits);
        running.start();
        Client client{port};
        if (begun) client.send(framed("half a frame").substr(0, 6));
        EXPECT_TRUE(client.ended());
        EXPECT_EQ(why.get_future().get(), begun ? "the peer began a frame and did not go on"
                                                : "nothing was said for too long");
    }
}

TEST(Connection, AFileSliceIsSentByEitherWayBetweenPiecesOfMemory) {
    std::FILE* file = std::tmpfile();
    const std::string content = letters(3 << 20);
    ASSERT_EQ(std::fwrite(content.data(), 1, content.size(), file), content.size());
    std::fflush(file);
    for (const FileSending sending : {FileSending::copy, FileSending::sendfile}) {
        Running running{1, 64 << 20, sending};
        const auto port = running.listen([&](sdk::Connection& connection) {
            auto handler = std::make_unique<Handler>(connection);
            handler->on_received = [&](auto) {
                connection.send(
                    {slice_of("begin "), sdk::FileSlice{nullptr, ::fileno(file), 1000, 500},
                     sdk::FileSlice{nullptr, ::fileno(file), 7, (2 << 20) + 11}, slice_of(" end")});
            };
            return handler;
        });
        running.start();
        Client client{port};
        client.send(framed("go"));
        const std::string want =
            "begin " + content.substr(1000, 500) + content.substr(7, (2 << 20) + 11) + " end";
        EXPECT_TRUE(client.receive(want.size()) == want);
    }
    std::fclose(file);
}

TEST(Connection, APeerThatIsGoneWhileAFileIsSentRaisesNoSignal) {
    std::FILE* file = std::tmpfile();
    ASSERT_EQ(::ftruncate(::fileno(file), 8 << 20), 0);
    Running running;
    std::promise<void> gone;
    const auto port = running.listen([&](sdk::Connection& connection) {
        auto handler = std::make_unique<Handler>(connection);
        handler->on_received = [&](auto) {
            std::vector<sdk::Slice> slices;
            for (int i = 0; i < 8; ++i) {
                slices.emplace_back(sdk::FileSlice{nullptr, ::fileno(file), 0, 8 << 20});
            }
            connection.send(std::move(slices));
        };
        handler->on_closed = [&](const std::string&) { gone.set_value(); };
        return handler;
    });
    running.start();
    Client client{port};
    client.send(framed("go"));
    EXPECT_EQ(client.receive(1000).size(), 1000u) << "it is being sent";
    client.half_close();  // Then a reset is told as EPIPE.
    client.reset();
    gone.get_future().wait();
    std::fclose(file);
}

}  // namespace
}  // namespace leat::net
