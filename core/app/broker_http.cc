#include "core/app/broker_http.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/admin/admin_socket.h"
#include "core/config/config.h"
#include "core/net/descriptor.h"
#include "core/net/socket_address.h"

namespace leat::app {
namespace {

constexpr timeval patience{.tv_sec = 20, .tv_usec = 0};

sdk::Error nobody_at(const std::string& where, const char* why) {
    return {sdk::Errc::unavailable, "no broker answers at " + where + ": " + why};
}

// By its folder's descriptor, as the broker binds it: a Unix address holds no long path.
sdk::Result<net::Descriptor> connect_to_file(const std::filesystem::path& path) {
    const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
    const net::Descriptor folder{::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (!folder) return nobody_at(path, std::strerror(errno));
    net::Descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const std::string at =
        "/proc/self/fd/" + std::to_string(folder.get()) + "/" + path.filename().string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (at.size() >= sizeof address.sun_path) return nobody_at(path, "the name is too long");
    std::memcpy(address.sun_path, at.c_str(), at.size() + 1);
    if (!socket ||
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return nobody_at(path, std::strerror(errno));
    }
    return socket;
}

sdk::Result<net::Descriptor> connect_to_url(std::string_view url) {
    constexpr std::string_view scheme = "http://";
    std::string_view place = url;
    if (place.starts_with(scheme)) place.remove_prefix(scheme.size());
    place = place.substr(0, place.find('/'));
    const auto endpoint = config::parse_endpoint(place);
    if (!endpoint) {
        return sdk::Error{sdk::Errc::invalid_argument,
                          std::string{url} + " is no address such as http://127.0.0.1:9644"};
    }
    const auto addresses = net::resolve(*endpoint, false);
    if (!addresses) return addresses.error();
    for (const net::SocketAddress& address : *addresses) {
        net::Descriptor socket{::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        if (socket && ::connect(socket.get(), address.data(), address.size) == 0) return socket;
    }
    return nobody_at(std::string{url}, std::strerror(errno));
}

sdk::Result<net::Descriptor> connect_to(const BrokerAddress& address) {
    if (!address.url.empty()) return connect_to_url(address.url);
    if (!address.socket.empty()) return connect_to_file(address.socket);
    const auto loading = config::load(address.config);
    if (!loading.ok()) {
        return sdk::Error{sdk::Errc::invalid_argument, config::text_of(loading.complaints)};
    }
    return connect_to_file(loading.config.node.data_dir / admin::admin_socket_name);
}

}  // namespace

sdk::Result<BrokerAnswer> ask_broker(const BrokerAddress& address, const std::string& request) {
    const auto socket = connect_to(address);
    if (!socket) return socket.error();
    ::setsockopt(socket->get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const std::string text = request + " HTTP/1.1\r\nHost: leat\r\nContent-Length: 0\r\n\r\n";
    std::string all;
    if (::send(socket->get(), text.data(), text.size(), MSG_NOSIGNAL) > 0) {
        char bytes[65536];
        for (ssize_t size = 0; (size = ::recv(socket->get(), bytes, sizeof bytes, 0)) > 0;) {
            all.append(bytes, static_cast<std::size_t>(size));
        }
    }
    const std::size_t body = all.find("\r\n\r\n");
    if (body == std::string::npos || !all.starts_with("HTTP/1.1 ")) {
        return sdk::Error{sdk::Errc::unavailable, "the broker did not answer"};
    }
    return BrokerAnswer{all.starts_with("HTTP/1.1 2"), all.substr(body + 4)};
}

}  // namespace leat::app
