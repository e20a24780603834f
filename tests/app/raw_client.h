// A client that says exactly what it is told: whole messages, or any bytes. Blocking, with a
// deadline on everything, so that a broker that does not answer fails a test instead of hanging it.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/frame.h"
#include "tests/app/loopback.h"

namespace leat::app {

class RawClient {
public:
    static constexpr int deadline_s = 20;

    explicit RawClient(std::uint16_t port) : socket_{connect_to_loopback(port, deadline_s)} {}
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;
    ~RawClient() { ::close(socket_); }

    bool send(std::span<const std::byte> bytes) {
        return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(bytes.size());
    }
    bool send(std::string_view text) { return send(std::as_bytes(std::span{text})); }

    template <wire::Message Request>
    std::int32_t send_request(const Request& request, wire::Version version) {
        wire::Buffer bytes;
        EXPECT_TRUE(wire::append_request(request, version, ++correlation_, "test", bytes));
        EXPECT_TRUE(send(bytes));
        return correlation_;
    }

    // The next frame without its size; nothing if the connection was closed.
    std::optional<std::vector<std::byte>> receive() {
        std::byte size[4];
        if (!receive_all(size)) return std::nullopt;
        std::uint32_t length = 0;
        std::memcpy(&length, size, sizeof length);
        std::vector<std::byte> frame(ntohl(length));
        if (!receive_all(frame)) return std::nullopt;
        return frame;
    }

    template <class Response>
    Response receive_response(wire::Version version, std::int32_t correlation) {
        frame_ = receive().value_or(std::vector<std::byte>{});
        const auto header = wire::parse_response(frame_, Response::traits.key, version);
        EXPECT_TRUE(header) << "the connection was closed, or the answer is not one";
        if (!header) return {};
        EXPECT_EQ(header->correlation_id, correlation);
        auto response = wire::decode<Response>(header->body, version);
        EXPECT_TRUE(response);
        return response ? *response : Response{};
    }

    // Views in the answer are good until the next call.
    template <class Response, wire::Message Request>
    Response call(const Request& request, wire::Version version) {
        return receive_response<Response>(version, send_request(request, version));
    }

    // Something is there to be received, be it the end.
    bool has_answer() const {
        pollfd one{.fd = socket_, .events = POLLIN, .revents = 0};
        return ::poll(&one, 1, 0) > 0;
    }
    bool closed_by_peer() { return !receive().has_value(); }

    // Both ways at once, as a process that dies.
    void reset() {
        const linger now{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        ::close(std::exchange(socket_, -1));
    }

private:
    bool receive_all(std::span<std::byte> into) {
        return ::recv(socket_, into.data(), into.size(), MSG_WAITALL) ==
               static_cast<ssize_t>(into.size());
    }

    int socket_;
    std::int32_t correlation_ = 0;
    std::vector<std::byte> frame_;
};

}  // namespace leat::app
