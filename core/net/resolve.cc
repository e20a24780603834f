#include <netdb.h>

#include <cstring>

#include "core/net/socket_address.h"

namespace leat::net {

sdk::Result<std::vector<SocketAddress>> resolve(const sdk::Endpoint& endpoint, bool to_listen) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
    addrinfo* found = nullptr;
    const std::string port = std::to_string(endpoint.port);
    const int failure = ::getaddrinfo(endpoint.host.empty() ? nullptr : endpoint.host.c_str(),
                                      port.c_str(), &hints, &found);
    if (failure != 0) {
        return sdk::Error{sdk::Errc::not_found, "the address of '" + endpoint.host +
                                                    "' was not found (" + ::gai_strerror(failure) +
                                                    "): correct its spelling, or name an address"};
    }
    std::vector<SocketAddress> addresses;
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        SocketAddress& address = addresses.emplace_back();
        std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
        address.size = one->ai_addrlen;
    }
    ::freeaddrinfo(found);
    return addresses;
}

}  // namespace leat::net
