// A client of HTTP that sends what it is told and reads to the end; with a deadline on everything.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "tests/app/loopback.h"

namespace leat::app {

class HttpClient {
public:
    static constexpr int deadline_s = 20;

    explicit HttpClient(std::uint16_t port) : socket_{connect_to_loopback(port, deadline_s)} {}
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    ~HttpClient() { ::close(socket_); }

    void send(std::string_view text) {
        while (!text.empty()) {
            const auto size = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
            if (size <= 0) return;
            text.remove_prefix(static_cast<std::size_t>(size));
        }
    }
    // All that comes until the peer closes.
    std::string rest() {
        std::string all;
        char bytes[65536];
        for (;;) {
            const auto size = ::recv(socket_, bytes, sizeof bytes, 0);
            EXPECT_FALSE(size < 0 && errno == EAGAIN) << "the peer neither answers nor closes";
            if (size <= 0) return all;
            all.append(bytes, static_cast<std::size_t>(size));
        }
    }
    std::string exchange(std::string_view request) {
        send(request);
        return rest();
    }
    // Closes at once, without the rest.
    void reset() {
        const linger now{1, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }

private:
    int socket_;
};

inline std::string http_get(std::uint16_t port, const std::string& path) {
    return HttpClient{port}.exchange("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
}

}  // namespace leat::app
