#include "core/app/service_notice.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace leat::app {
namespace {

sdk::Error cannot(std::string_view where, const char* why) {
    return {sdk::Errc::unavailable,
            "cannot tell NOTIFY_SOCKET (" + std::string{where} + "): " + why};
}

}  // namespace

sdk::Status notify_service(std::string_view state) {
    const char* named = std::getenv("NOTIFY_SOCKET");
    if (named == nullptr || *named == '\0') return {};
    const std::string_view where = named;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (where[0] != '/' && where[0] != '@')
        return cannot(where, "not the address of a Unix socket");
    if (where.size() >= sizeof address.sun_path)
        return cannot(where, "longer than such an address");
    std::memcpy(address.sun_path, where.data(), where.size());
    if (where[0] == '@') address.sun_path[0] = '\0';  // In the abstract namespace.

    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return cannot(where, std::strerror(errno));
    const timeval patience{.tv_sec = 2, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + where.size());
    const auto sent = ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                               reinterpret_cast<const sockaddr*>(&address), size);
    const int number = errno;
    ::close(socket);
    if (sent < 0) return cannot(where, std::strerror(number));
    return {};
}

}  // namespace leat::app
