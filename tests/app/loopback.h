// A blocking socket to a broker under test, with a deadline on everything, so that one that does
// not answer fails a test instead of hanging it.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace leat::app {

// Connected, or the test has failed; the caller closes it.
inline int connect_to_loopback(std::uint16_t port, int deadline_s) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    const timeval deadline{.tv_sec = deadline_s, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof deadline);
    return socket;
}

}  // namespace leat::app
