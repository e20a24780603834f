// In the place of resolve.cc in a static program: glibc's resolver is made of libraries, which such
// a program cannot count on.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <optional>

#include "core/net/socket_address.h"

namespace leat::net {

namespace {

std::optional<SocketAddress> from_number(const std::string& host, std::uint16_t port) {
    SocketAddress address;
    auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
    auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
    if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
        four.sin_family = AF_INET;
        four.sin_port = htons(port);
        address.size = sizeof four;
    } else if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(port);
        address.size = sizeof six;
    } else {
        return std::nullopt;
    }
    return address;
}

// In the order in which glibc's resolver has them.
std::vector<std::string> numbers_of(const std::string& host, bool to_listen) {
    if (host.empty() && to_listen) return {"0.0.0.0", "::"};
    if (host.empty() || host == "localhost") return {"::1", "127.0.0.1"};
    return {host};
}

}  // namespace

sdk::Result<std::vector<SocketAddress>> resolve(const sdk::Endpoint& endpoint, bool to_listen) {
    std::vector<SocketAddress> addresses;
    for (const std::string& number : numbers_of(endpoint.host, to_listen)) {
        const auto address = from_number(number, endpoint.port);
        if (!address) {
            return sdk::Error{sdk::Errc::not_found,
                              "'" + endpoint.host +
                                  "' is not an address in numbers, and this program looks up no "
                                  "names: write one like 127.0.0.1, or 0.0.0.0 for all"};
        }
        addresses.push_back(*address);
    }
    return addresses;
}

}  // namespace leat::net
