#include "core/admin/admin_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/logging/line.h"

namespace leat::admin {
namespace {

sdk::Error failed(const std::filesystem::path& folder) {
    return {sdk::Errc::io, "cannot listen on " + (folder / admin_socket_name).string() + ": " +
                               std::strerror(errno)};
}

// By its folder's descriptor, for a path may be longer than what a Unix address holds.
sdk::Result<net::Descriptor> listening_in(const std::filesystem::path& folder) {
    const net::Descriptor at{::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    net::Descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!at || !socket) return failed(folder);
    const std::string name{admin_socket_name};
    if (::unlinkat(at.get(), name.c_str(), 0) != 0 && errno != ENOENT) return failed(folder);
    const std::string path = "/proc/self/fd/" + std::to_string(at.get()) + "/" + name;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    // Before it has a name: Linux gives the file these permissions, so that it never has others.
    if (::fchmod(socket.get(), 0600) != 0 ||
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket.get(), 16) != 0) {
        return failed(folder);
    }
    return socket;
}

// The file's permissions say the same; this holds also if somebody changes them.
std::optional<HttpResponse> refuse_others(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool known = ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    if (known && (peer.uid == ::geteuid() || peer.uid == 0)) return std::nullopt;
    return HttpResponse{.status = 403,
                        .body = "only the user that runs the broker, and root, may ask here\n"};
}

std::optional<logging::Level> level_of(std::string_view word) {
    using logging::Level;
    for (const auto level : {Level::debug, Level::info, Level::warn, Level::error}) {
        if (logging::name_of(level) == word) return level;
    }
    return std::nullopt;
}

HttpResponse only(std::string allowed) {
    return {.status = 405, .body = "there is " + allowed + " here\n", .allow = std::move(allowed)};
}

}  // namespace

AdminSocket::AdminSocket(Options options)
    : options_{std::move(options)},
      server_{options_.runtime.loop(0),
              [this](const HttpRequest& request, HttpRespond respond) {
                  answer(request, std::move(respond));
              },
              {},
              refuse_others} {}

sdk::Status AdminSocket::listen(const std::filesystem::path& folder) {
    auto socket = listening_in(folder);
    if (!socket) return socket.error();
    if (!server_.serve(std::move(*socket))) return failed(folder);
    return {};
}

void AdminSocket::answer(const HttpRequest& request, HttpRespond respond) {
    if (request.path == "/log-level") return respond(log_level(request));
    if (request.path == "/plugins/reload") return reload(request, std::move(respond));
    if (request.path != "/stop") return options_.read_only(request, std::move(respond));
    if (request.method != "POST") return respond(only("POST"));
    respond({.status = 202, .body = "stopping\n"});
    options_.stop("the admin socket");
}

void AdminSocket::reload(const HttpRequest& request, HttpRespond respond) {
    if (request.method != "POST") return respond(only("POST"));
    const std::string name{query_value(request.query, "name")};
    options_.reload(name, [respond = std::move(respond)](sdk::Result<std::string> done) mutable {
        if (done) return respond({.body = *done + "\n"});
        respond({.status = 409, .body = done.error().what + "\n"});
    });
}

HttpResponse AdminSocket::log_level(const HttpRequest& request) {
    if (request.method == "POST") {
        const auto level = level_of(query_value(request.query, "level"));
        if (!level) return {.status = 400, .body = "level is debug, info, warn or error\n"};
        options_.logger.keep_from(*level);
        options_.logger.log(logging::Level::info, "log level changed",
                            {{"level", std::string{logging::name_of(*level)}}});
    } else if (request.method != "GET" && request.method != "HEAD") {
        return only("GET, HEAD, POST");
    }
    return {.body = std::string{logging::name_of(options_.logger.level())} + "\n"};
}

}  // namespace leat::admin
