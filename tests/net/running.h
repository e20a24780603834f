// What the stories about the network run on: a runtime on threads of its own, a client over a plain
// blocking socket, and waiting for a condition instead of for time.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/runtime.h"

namespace leat::net {

inline bool eventually(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!holds()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

class Running {
public:
    explicit Running(std::size_t shards = 1, std::uint64_t budget = 64 << 20,
                     FileSending sending = FileSending::sendfile)
        : memory{{.bytes = budget, .largest_frame = budget / 2, .leases = shards}},
          runtime{{.shards = shards, .file_sending = sending, .memory = memory, .log = {}}} {}
    explicit Running(Runtime::Options options) : memory{{}}, runtime{std::move(options)} {}
    ~Running() { stop(); }

    std::uint16_t listen(sdk::Accept accept, sdk::FrameLimits limits = {}) {
        auto at = runtime.listen({.name = "test", .bind = {"127.0.0.1", 0}, .limits = limits},
                                 std::move(accept));
        EXPECT_TRUE(at) << at.error().what;
        return at->port;
    }
    void start() {
        thread = std::thread{[this] { runtime.run(); }};
    }
    void stop() {
        if (!thread.joinable()) return;
        runtime.stop();
        thread.join();
    }
    // Runs `task` on the shard and waits for it.
    void on_shard(std::size_t index, const std::function<void()>& task) {
        std::promise<void> done;
        runtime.at(index).post([&] {
            task();
            done.set_value();
        });
        done.get_future().wait();
    }

    runtime::MemoryBudget memory;  // Unused if the options name another.
    Runtime runtime;
    std::thread thread;
};

// A handler made of functions, for one story each.
struct Handler final : sdk::ConnectionHandler {
    explicit Handler(sdk::Connection& of) : connection{of} {}

    void received(std::span<sdk::Frame> frames) override {
        if (on_received) on_received(frames);
    }
    void drained() override {
        if (on_drained) on_drained();
    }
    void closed(const std::string& why) override {
        if (on_closed) on_closed(why);
    }

    sdk::Connection& connection;
    std::function<void(std::span<sdk::Frame>)> on_received;
    std::function<void()> on_drained;
    std::function<void(const std::string&)> on_closed;
};

inline sdk::Slice slice_of(std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    return sdk::MemorySlice{owner, std::as_bytes(std::span{*owner})};
}

inline std::string framed(std::string_view body) {
    std::string text(4, '\0');
    for (std::size_t i = 0; i < 4; ++i) text[i] = static_cast<char>(body.size() >> (24 - 8 * i));
    return text.append(body);
}

inline std::string text_in(const sdk::Frame& frame) {
    return {reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size()};
}

// Sends every frame back.
inline std::unique_ptr<Handler> echo(sdk::Connection& connection) {
    auto handler = std::make_unique<Handler>(connection);
    handler->on_received = [&connection](std::span<sdk::Frame> frames) {
        for (const sdk::Frame& frame : frames) {
            connection.send({slice_of(framed(text_in(frame)).substr(0, 4)),
                             sdk::MemorySlice{frame.owner, frame.bytes}});
        }
    };
    return handler;
}

class Client {
public:
    explicit Client(std::uint16_t port, int receive_buffer = 0)
        : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        if (receive_buffer != 0) {
            ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer,
                         sizeof receive_buffer);
        }
        const timeval patience{20, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected =
            ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }

    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }
    // Fewer bytes if the peer ends.
    std::string receive(std::size_t size) {
        std::string bytes(size, '\0');
        std::size_t have = 0;
        while (have < size) {
            const ssize_t n = ::recv(socket_.get(), bytes.data() + have, size - have, 0);
            if (n <= 0) break;
            have += static_cast<std::size_t>(n);
        }
        bytes.resize(have);
        return bytes;
    }
    bool ended() { return receive(1).empty(); }
    void half_close() { ::shutdown(socket_.get(), SHUT_WR); }
    void reset() {
        const linger now{1, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        socket_.reset();
    }

    bool connected = false;

private:
    Descriptor socket_;
};

}  // namespace leat::net
