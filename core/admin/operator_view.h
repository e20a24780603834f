// What an operator sees of a running broker, over HTTP: /metrics, /healthz, /readyz. Read-only.
//
//   /healthz   200 if each shard takes a task within two seconds, else 503 and which does not.
//   /readyz    200 if the broker is registered, not fenced and not stopping, else 503 and the word.
//   /metrics   Prometheus' text (core/metrics/catalogue.h).
//
// Threads    Made before the shards run, used on shard 0, destroyed after they have ended and
//            before what it watches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/admin/http_server.h"
#include "core/admin/scrape.h"
#include "leat/sdk/network.h"
#include "leat/sdk/result.h"

namespace leat::admin {

class OperatorView {
public:
    static constexpr std::chrono::seconds health_patience{2};
    static constexpr std::size_t most_waiting_scrapes = 64;

    struct Options {
        net::Runtime& runtime;
        const runtime::MemoryBudget& memory;
        const host::PluginCounters& counters;
        std::string version;
        std::size_t most_topics = 1000;
        HttpServer::Limits limits = {};
    };
    explicit OperatorView(Options options);
    ~OperatorView();

    // [shard 0] Where it listens now. Errc::already_exists: the port is taken.
    sdk::Result<sdk::Endpoint> listen(const sdk::Endpoint& at);

    // [shard 0] Also for other servers of the same.
    void answer(const HttpRequest& request, HttpRespond respond);

    // [shard 0] From now on there is more to tell. `services` outlive the threads.
    void serves(api::Services& services);
    void stops();

private:
    void scrape(HttpRespond respond);
    void check_health(HttpRespond respond);
    std::string why_not_ready() const;

    net::Runtime& runtime_;
    Watched watched_;
    HttpServer server_;
    bool stopping_ = false;
    // Who asked for metrics while a scrape was under way gets that one's.
    std::vector<HttpRespond> waiting_;
};

}  // namespace leat::admin
