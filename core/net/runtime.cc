#include "core/net/runtime.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "core/net/acceptor.h"
#include "core/net/dialler.h"
#include "core/net/loop.h"
#include "core/net/shard_sockets.h"
#include "core/net/socket_address.h"
#include "core/net/workers.h"
#include "leat/sdk/ensure.h"

namespace leat::net {

namespace {

// After raising the soft limit to the hard one.
std::size_t descriptors_allowed() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<int>::max();
    if (limit.rlim_cur < limit.rlim_max) {
        const rlimit raised{limit.rlim_max, limit.rlim_max};
        if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    }
    return static_cast<std::size_t>(
        std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max()));
}

}  // namespace

struct Runtime::Site {
    Site(std::size_t index, State& state);

    Loop loop;
    ShardSockets sockets;
    Dialler dialler;
};

struct Runtime::State {
    explicit State(Options given)
        : options{std::move(given)},
          workers{options.workers},
          places{std::make_shared<Places>(
              std::min(options.most_connections, descriptors_allowed() / 4 * 3),
              options.most_connections_per_address)} {
        if (!options.log) options.log = [](sdk::LogLevel, const std::string&) {};
    }

    Options options;
    Workers workers;
    std::shared_ptr<Places> places;  // Shared with connections, of which one may be the last owner.
    std::vector<std::unique_ptr<Site>> sites;
    std::vector<std::unique_ptr<Acceptor>> acceptors;
    std::size_t next_site = 0;
};

Runtime::Site::Site(std::size_t index, State& state)
    : loop{index, state.workers},
      sockets{loop, state.options.memory, state.options.file_sending, state.options.log},
      dialler{loop, sockets} {}

Runtime::Runtime(Options options) : state_{std::make_unique<State>(std::move(options))} {
    sdk::ensure(state_->options.shards > 0, "there is at least one shard");
    if (state_->places->most() < state_->options.most_connections) {
        state_->options.log(sdk::LogLevel::warn,
                            "at most " + std::to_string(state_->places->most()) + " of " +
                                std::to_string(state_->options.most_connections) +
                                " connections: the system allows " +
                                std::to_string(descriptors_allowed()) +
                                " open files; raise that limit (ulimit -n, LimitNOFILE)");
    }
    for (std::size_t i = 0; i < state_->options.shards; ++i) {
        state_->sites.push_back(std::make_unique<Site>(i, *state_));
    }
}

Runtime::~Runtime() {
    state_->acceptors.clear();
    state_->workers.stop();
    // What is still posted may own frames, which go home to the buffers of any shard.
    for (auto& site : state_->sites) site->loop.drop_posted();
}

std::size_t Runtime::count() const {
    return state_->sites.size();
}

sdk::Shard& Runtime::at(std::size_t index) {
    return state_->sites[index]->loop;
}

Loop& Runtime::loop(std::size_t index) {
    return state_->sites[index]->loop;
}

sdk::Result<sdk::Endpoint> Runtime::listen(sdk::ListenOptions options, sdk::Accept accept) {
    auto socket = listening_socket(options.bind, state_->options.send_buffer);
    if (!socket) return socket.error();
    sdk::Endpoint bound = local_endpoint(socket->get());
    // Shared by tasks on all shards, of which the last may outlive the listener.
    auto shared_accept = std::make_shared<const sdk::Accept>(std::move(accept));
    auto deal = [this, shared_accept](SocketConnection::Opened opened) {
        Site& site = *state_->sites[state_->next_site++ % state_->sites.size()];
        if (site.loop.index() == 0) {
            site.sockets.adopt(std::move(opened), *shared_accept);
            return;
        }
        auto parcel = std::make_unique<SocketConnection::Opened>(std::move(opened));
        site.loop.post([&site, shared_accept, parcel = std::move(parcel)] {
            site.sockets.adopt(std::move(*parcel), *shared_accept);
        });
    };
    auto acceptor = std::make_unique<Acceptor>(
        state_->sites[0]->loop,
        Acceptor::Parts{*std::move(socket), std::move(options), state_->places, std::move(deal)},
        state_->options.log);
    if (!acceptor->start()) {
        return sdk::Error{sdk::Errc::limit,
                          "cannot watch " + text_of(bound) + ": " + std::strerror(errno)};
    }
    state_->acceptors.push_back(std::move(acceptor));
    return bound;
}

SocketFigures Runtime::sockets(std::size_t shard) const {
    return state_->sites[shard]->sockets.figures();
}

WorkerFigures Runtime::workers() const {
    const auto [waiting, threads, idle] = state_->workers.figures();
    // A thread that was just started is neither idle nor at work: it counts as at work.
    return {waiting, threads, threads - std::min(threads, idle)};
}

std::uint64_t Runtime::refused_connections() const {
    std::uint64_t refused = 0;
    for (const auto& acceptor : state_->acceptors) refused += acceptor->refused();
    return refused;
}

void Runtime::stop_listening() {
    for (auto& acceptor : state_->acceptors) acceptor->stop();
}

void Runtime::connect(sdk::Shard& shard, sdk::Endpoint to, sdk::FrameLimits limits,
                      sdk::Accept accept, Dialled done) {
    Site& site = *state_->sites[static_cast<Loop&>(shard).index()];
    site.dialler.dial({std::move(to), limits, std::move(accept), std::move(done)});
}

bool Runtime::move(sdk::Connection& connection, std::size_t to, sdk::Accept accept) {
    return static_cast<SocketConnection&>(connection)
        .move(state_->sites[to]->sockets, std::move(accept));
}

void Runtime::run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < state_->sites.size(); ++i) {
        threads.emplace_back([this, i] { serve(*state_->sites[i]); });
    }
    serve(*state_->sites[0]);
    for (std::thread& thread : threads) thread.join();
    state_->workers.stop();
    for (auto& site : state_->sites) site->loop.over();
}

namespace {

// sendfile() into a connection that the peer has reset raises SIGPIPE, and has no flag against it.
// A broker that is a part of another program must not change what signals do there, so they are
// blocked on the shards' threads only.
class WithoutSigpipe {
public:
    WithoutSigpipe() {
        ::sigemptyset(&sigpipe_);
        ::sigaddset(&sigpipe_, SIGPIPE);
        ::pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
    }
    ~WithoutSigpipe() {
        if (::sigismember(&before_, SIGPIPE) == 0) {
            const timespec at_once{};
            ::sigtimedwait(&sigpipe_, nullptr, &at_once);  // One that waits would be delivered.
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

private:
    sigset_t sigpipe_{};
    sigset_t before_{};
};

}  // namespace

// Runs the site's shard, then ends what lives there, still on its thread.
void Runtime::serve(Site& site) {
    const WithoutSigpipe quiet;
    site.loop.run();
    if (site.loop.index() == 0) stop_listening();
    site.dialler.drop_all();
    site.sockets.close_all("the broker stops");
    site.loop.run_posted();
    site.loop.leave();
}

void Runtime::stop() {
    for (auto& site : state_->sites) {
        site->loop.post([&loop = site->loop] { loop.finish(); });
    }
}

}  // namespace leat::net
