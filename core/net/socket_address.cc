#include "core/net/socket_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <cstring>

namespace leat::net {

namespace {

sdk::Error refused(const sdk::Endpoint& endpoint, int number) {
    const std::string at = text_of(endpoint);
    switch (number) {
        case EADDRINUSE:
            return {sdk::Errc::already_exists,
                    at + " is in use: another program listens there, perhaps another broker; stop "
                         "it or choose another port"};
        case EACCES:
            return {sdk::Errc::invalid_argument,
                    at + " may not be listened on: ports below 1024 need a privilege; choose a "
                         "higher one"};
        case EADDRNOTAVAIL:
            return {sdk::Errc::invalid_argument,
                    at + " is not an address of this machine: bind to one that it has, or to "
                         "0.0.0.0"};
        default:
            return {sdk::Errc::io, "cannot listen on " + at + ": " + std::strerror(number)};
    }
}

void set(int socket, int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
}

// What the kernel keeps for a peer that does not read. By default it takes some megabytes, which no
// budget of ours sees.
constexpr int most_unsent_in_kernel = 1024 * 1024;

// Accepted sockets inherit them. A peer that has vanished without a word is found within two
// minutes.
void set_options(int socket) {
    set(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, most_unsent_in_kernel);
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

}  // namespace

std::string text_of(const sdk::Endpoint& endpoint) {
    const bool six = endpoint.host.find(':') != std::string::npos;
    return (six ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

sdk::Endpoint endpoint_of(const SocketAddress& address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address.storage.ss_family == AF_INET) {
        const auto& four = reinterpret_cast<const sockaddr_in&>(address.storage);
        ::inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
        return {text, ntohs(four.sin_port)};
    }
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address.storage);
    if (address.storage.ss_family != AF_INET6) return {};
    if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
        ::inet_ntop(AF_INET, &six.sin6_addr.s6_addr[12], text, sizeof text);
    } else {
        ::inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
    }
    return {text, ntohs(six.sin6_port)};
}

sdk::Endpoint local_endpoint(int socket) {
    SocketAddress address;
    if (::getsockname(socket, address.data(), &address.size) != 0) return {};
    return endpoint_of(address);
}

sdk::Result<Descriptor> listening_socket(const sdk::Endpoint& endpoint, std::size_t send_buffer) {
    auto addresses = resolve(endpoint, true);
    if (!addresses) return addresses.error();
    sdk::Error error{sdk::Errc::not_found, "'" + endpoint.host + "' has no address"};
    for (const SocketAddress& address : *addresses) {
        Descriptor socket{
            ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        if (socket) {
            set(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
            set_options(socket.get());
            if (send_buffer != 0) {
                set(socket.get(), SOL_SOCKET, SO_SNDBUF, static_cast<int>(send_buffer));
            }
            if (::bind(socket.get(), address.data(), address.size) == 0 &&
                ::listen(socket.get(), SOMAXCONN) == 0) {
                return socket;
            }
        }
        error = refused(endpoint, errno);
    }
    return error;
}

sdk::Result<Descriptor> dialling_socket(const SocketAddress& address, const sdk::Endpoint& to) {
    Descriptor socket{
        ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (socket) {
        set_options(socket.get());
        if (::connect(socket.get(), address.data(), address.size) == 0 || errno == EINPROGRESS) {
            return socket;
        }
    }
    return sdk::Error{sdk::Errc::unavailable,
                      "cannot connect to " + text_of(to) + ": " + std::strerror(errno)};
}

}  // namespace leat::net
