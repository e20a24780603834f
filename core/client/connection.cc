#include "core/client/connection.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/client/refusal.h"
#include "core/wire/apis.h"
#include "core/wire/reader.h"

namespace leat::client {
namespace {

using sdk::Errc;
using sdk::Error;

std::string name_of(const wire::MessageTraits& request) {
    const auto* api = wire::describe(request.key);
    return std::string{api == nullptr ? request.name : api->name};
}

// One of the addresses that a name has. The socket does not block.
sdk::Result<int> connect_to(const addrinfo& to, SteadyClock::time_point deadline, Watch& watch) {
    const int fd =
        ::socket(to.ai_family, to.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, to.ai_protocol);
    if (fd < 0) return Error{Errc::unavailable, std::strerror(errno)};
    int error = ::connect(fd, to.ai_addr, to.ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        if (const auto status = watch.until_ready(fd, POLLOUT, deadline); !status) {
            ::close(fd);
            return status.error();
        }
        socklen_t size = sizeof error;
        ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0) {
        ::close(fd);
        return Error{Errc::unavailable, std::strerror(error)};
    }
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

sdk::Result<int> connect_to(const Address& address, SteadyClock::time_point deadline,
                            Watch& watch) {
    const addrinfo wanted{.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV,
                          .ai_family = AF_UNSPEC,
                          .ai_socktype = SOCK_STREAM};
    addrinfo* found = nullptr;
    const int failed =
        ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &found);
    if (failed != 0) {
        return Error{Errc::unavailable,
                     "cannot find " + address.host + ": " + ::gai_strerror(failed)};
    }
    Error last;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
        auto socket = connect_to(*each, deadline, watch);
        if (socket || socket.error().code == Errc::closed) {
            ::freeaddrinfo(found);
            return socket;
        }
        last = socket.error();
    }
    ::freeaddrinfo(found);
    return Error{Errc::unavailable, "cannot connect to " + text_of(address) + ": " + last.what};
}

}  // namespace

sdk::Result<std::unique_ptr<Connection>> Connection::open(const Address& address,
                                                          std::chrono::milliseconds timeout,
                                                          Watch& watch) {
    const auto socket = connect_to(address, SteadyClock::now() + timeout, watch);
    if (!socket) return socket.error();
    std::unique_ptr<Connection> made{new Connection{address, *socket, timeout, watch}};
    if (const auto status = made->learn_versions(); !status) return status.error();
    return made;
}

Connection::~Connection() {
    ::close(socket_);
}

Error Connection::nonsense(const std::string& what) const {
    return {Errc::corrupt, text_of(address_) + " does not answer as a Kafka broker does: " + what};
}

Error Connection::lost(const std::string& what) const {
    return {Errc::unavailable, text_of(address_) + ": " + what};
}

// KIP-511: a broker that does not know the version of the request answers in version 0, with
// UNSUPPORTED_VERSION and its own range.
sdk::Status Connection::learn_versions() {
    const wire::ApiVersionsRequest request{.client_software_name = "leat",
                                           .client_software_version = LEAT_VERSION};
    for (const wire::Version version : {wire::Version{3}, wire::Version{0}}) {
        wire::Buffer frame;
        auto status = wire::append_request(request, version, ++correlation_id_, client_id, frame);
        if (status) status = send_bytes(frame);
        if (!status) return status;
        const auto body =
            receive_body(wire::ApiVersionsResponse::traits, {version, correlation_id_});
        if (!body) return body.error();
        wire::Reader reader{*body};
        const auto code = wire::ErrorCode{reader.number<std::int16_t>()};
        if (code == wire::ErrorCode::unsupported_version && version > 0) continue;
        auto response = wire::decode<wire::ApiVersionsResponse>(*body, version);
        if (!response) return nonsense(response.error().what);
        if (code != wire::ErrorCode::none) return refused(text_of(address_), code);
        served_ = std::move(response->api_keys);
        return {};
    }
    return nonsense("it does not know ApiVersions 0");
}

sdk::Result<wire::Version> Connection::version_for(const wire::MessageTraits& request,
                                                   wire::Version ceiling) const {
    const auto served = std::ranges::find(served_, static_cast<std::int16_t>(request.key),
                                          &wire::ApiVersionsResponse::ApiVersion::api_key);
    if (served == served_.end()) {
        return Error{Errc::unsupported, text_of(address_) + " does not serve " + name_of(request)};
    }
    const auto ours = std::min(request.versions.max, ceiling);
    const auto version = std::min(ours, served->max_version);
    if (version < std::max(request.versions.min, served->min_version)) {
        return Error{Errc::unsupported,
                     text_of(address_) + " serves " + name_of(request) + " in versions " +
                         std::to_string(served->min_version) + " to " +
                         std::to_string(served->max_version) + ", and leat speaks " +
                         std::to_string(request.versions.min) + " to " + std::to_string(ours)};
    }
    return version;
}

sdk::Status Connection::send_bytes(std::span<const std::byte> bytes) {
    auto deadline = SteadyClock::now() + timeout_;
    while (!bytes.empty()) {
        const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
            deadline = SteadyClock::now() + timeout_;
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return lost(std::strerror(errno));
        const auto status = watch_.until_ready(socket_, POLLOUT, deadline);
        if (!status && status.error().code == Errc::timed_out) return lost("it reads nothing");
        if (!status) return status;
    }
    return {};
}

sdk::Status Connection::receive_bytes(std::span<std::byte> into, SteadyClock::time_point deadline) {
    while (!into.empty()) {
        const auto size = ::recv(socket_, into.data(), into.size(), 0);
        if (size > 0) {
            into = into.subspan(static_cast<std::size_t>(size));
            continue;
        }
        if (size == 0) return lost("the broker closed the connection");
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return lost(std::strerror(errno));
        const auto status = watch_.until_ready(socket_, POLLIN, deadline);
        if (!status && status.error().code == Errc::timed_out) return lost("no answer in time");
        if (!status) return status;
    }
    return {};
}

sdk::Status Connection::receive_frame() {
    const auto deadline = SteadyClock::now() + timeout_;
    std::byte size_bytes[wire::frame_size_bytes];
    if (const auto status = receive_bytes(size_bytes, deadline); !status) return status;
    const auto size = wire::Reader{size_bytes}.number<std::int32_t>();
    if (size < 4 || static_cast<std::size_t>(size) > largest_answer) {
        return nonsense("its answer says that it is " + std::to_string(size) + " bytes long");
    }
    answer_.resize(static_cast<std::size_t>(size));
    return receive_bytes(answer_, deadline);
}

sdk::Result<std::vector<std::byte>> Connection::receive_raw() {
    if (const auto status = receive_frame(); !status) return status.error();
    return answer_;
}

sdk::Result<bool> Connection::is_ended_by_broker() {
    const auto status = watch_.until_ready(socket_, POLLIN, SteadyClock::now() + timeout_);
    if (!status && status.error().code == Errc::timed_out) return false;
    if (!status) return status.error();
    std::byte next;
    const auto size = ::recv(socket_, &next, 1, MSG_PEEK);
    return size == 0 || (size < 0 && errno == ECONNRESET);
}

sdk::Result<std::span<const std::byte>> Connection::receive_body(
    const wire::MessageTraits& response, const Sent& sent) {
    if (const auto status = receive_frame(); !status) return status.error();
    const auto header = wire::parse_response(answer_, response.key, sent.version);
    if (!header) return nonsense(header.error().what);
    if (header->correlation_id != sent.correlation_id) {
        return nonsense("it answers a request that was not asked");
    }
    return header->body;
}

}  // namespace leat::client
