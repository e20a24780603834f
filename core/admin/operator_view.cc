#include "core/admin/operator_view.h"

#include <utility>

#include "core/metrics/text.h"
#include "core/net/socket_address.h"

namespace leat::admin {
namespace {

// Shared by the tasks that the shards are given and the timer.
struct Check {
    explicit Check(std::size_t shards) : answered(shards, false), missing{shards} {}

    std::vector<bool> answered;  // [shard 0] All of it.
    std::size_t missing;
    HttpRespond respond{};
    sdk::TimerId timer = sdk::TimerId::none;
};

HttpResponse unhealthy(const Check& check) {
    std::string body;
    for (std::size_t shard = 0; shard < check.answered.size(); ++shard) {
        if (!check.answered[shard]) {
            body += "shard " + std::to_string(shard) + " does not answer\n";
        }
    }
    return {.status = 503, .body = std::move(body)};
}

}  // namespace

OperatorView::OperatorView(Options options)
    : runtime_{options.runtime},
      watched_{.runtime = options.runtime,
               .memory = options.memory,
               .counters = options.counters,
               .version = std::move(options.version),
               .most_topics = options.most_topics,
               .ready = [this] { return why_not_ready().empty(); }},
      server_{options.runtime.loop(0),
              [this](const HttpRequest& request, HttpRespond respond) {
                  answer(request, std::move(respond));
              },
              options.limits} {}

OperatorView::~OperatorView() = default;

sdk::Result<sdk::Endpoint> OperatorView::listen(const sdk::Endpoint& at) {
    auto socket = net::listening_socket(at, 0);
    if (!socket) return socket.error();
    const sdk::Endpoint bound = net::local_endpoint(socket->get());
    if (!server_.serve(std::move(*socket))) {
        return sdk::Error{sdk::Errc::limit, "cannot watch " + net::text_of(bound)};
    }
    return bound;
}

void OperatorView::serves(api::Services& services) {
    watched_.services = &services;
}

void OperatorView::stops() {
    stopping_ = true;
}

std::string OperatorView::why_not_ready() const {
    if (stopping_) return "stopping";
    if (watched_.services == nullptr) return "starting";
    switch (watched_.services->metadata.standing(0)) {
        case broker::Standing::serving:
            return {};
        case broker::Standing::fenced:
            return "fenced";
        case broker::Standing::starting:
            return "starting";
        case broker::Standing::stopped:
            return "stopping";
    }
    return "starting";
}

void OperatorView::answer(const HttpRequest& request, HttpRespond respond) {
    const bool known =
        request.path == "/metrics" || request.path == "/healthz" || request.path == "/readyz";
    if (!known) {
        return respond({.status = 404, .body = "there are /metrics, /healthz and /readyz\n"});
    }
    if (request.method != "GET" && request.method != "HEAD") {
        return respond({.status = 405, .body = "this only reads\n", .allow = "GET, HEAD"});
    }
    if (request.path == "/metrics") return scrape(std::move(respond));
    if (request.path == "/healthz") return check_health(std::move(respond));
    const std::string why = why_not_ready();
    respond({.status = why.empty() ? 200 : 503, .body = why.empty() ? "ready\n" : why + "\n"});
}

void OperatorView::scrape(HttpRespond respond) {
    if (waiting_.size() >= most_waiting_scrapes) {
        return respond({.status = 503, .body = "too many ask at once\n"});
    }
    waiting_.push_back(std::move(respond));
    if (waiting_.size() > 1) return;
    std::make_shared<Scrape>(watched_, [this](const sdk::Result<std::string>& text) {
        HttpResponse response;
        if (text) {
            response.body = *text;
            response.content_type = metrics::Text::content_type;
        } else {
            response = {.status = 503, .body = text.error().what + "\n"};
        }
        for (auto waiting = std::exchange(waiting_, {}); HttpRespond & each : waiting) {
            each(response);
        }
    })->begin();
}

void OperatorView::check_health(HttpRespond respond) {
    auto check = std::make_shared<Check>(runtime_.count());
    check->respond = std::move(respond);
    check->timer = runtime_.at(0).after(health_patience, [check] {
        if (check->respond) std::exchange(check->respond, {})(unhealthy(*check));
    });
    for (std::size_t shard = 0; shard < runtime_.count(); ++shard) {
        runtime_.at(shard).post([this, check, shard] {
            runtime_.at(0).post([this, check, shard] {
                check->answered[shard] = true;
                if (--check->missing != 0 || !check->respond) return;
                runtime_.at(0).cancel(check->timer);
                std::exchange(check->respond, {})({.body = "alive\n"});
            });
        });
    }
}

}  // namespace leat::admin
