// Serves HTTP on one address, over a shard's loop: few connections, short requests, one response
// each. Whoever is slow or holds connections open harms nobody: beyond `most_connections` the
// oldest one is closed for the newest, and each has `patience` to send its request and as long to
// take its response.
//
// Threads    Lives on the shard of its loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "core/admin/http_message.h"
#include "core/net/descriptor.h"
#include "core/net/loop.h"

namespace leat::admin {

class HttpServer final : public net::Watcher {
public:
    struct Limits {
        std::size_t most_connections = 16;
        std::size_t request_bytes = 8 * 1024;
        std::chrono::milliseconds patience = std::chrono::seconds{10};
    };
    // Hears what may be answered at once: nothing lets the peer ask. For peers to refuse.
    using Admit = std::function<std::optional<HttpResponse>(int socket)>;

    HttpServer(net::Loop& loop, HttpHandler handler, Limits limits, Admit admit = {});
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // Takes connections from a socket that listens and does not block. False with errno.
    bool serve(net::Descriptor listening);
    // Closes all. Responses that come later go nowhere.
    void stop();

    void ready(std::uint32_t epoll_events) override;

private:
    class Peer;
    using Peers = std::list<std::shared_ptr<Peer>>;  // Shared with a response under way.

    bool accept_one();
    void forget(Peer& peer);

    net::Loop& loop_;
    const HttpHandler handler_;
    const Limits limits_;
    const Admit admit_;
    net::Descriptor listening_;
    sdk::TimerId resting_ = sdk::TimerId::none;
    Peers peers_;  // The oldest first.
};

}  // namespace leat::admin
