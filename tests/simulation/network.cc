#include "tests/simulation/network.h"

#include <algorithm>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::simulation {

using std::chrono::milliseconds;

namespace {

Bytes bytes_of(const std::vector<sdk::Slice>& slices) {
    Bytes all;
    for (const sdk::Slice& slice : slices) {
        const auto* memory = std::get_if<sdk::MemorySlice>(&slice);
        sdk::ensure(memory != nullptr, "a simulated disk hands out memory");
        all.insert(all.end(), memory->bytes.begin(), memory->bytes.end());
    }
    return all;
}

}  // namespace

LinkRef Wires::dial(ClientEnd& client) {
    auto link = std::make_shared<Link>();
    link->number = ++last_link_;
    link->client = &client;
    links_[link->number] = link;
    world_.schedule(world_.now() + latency(), 0, false, [this, link] {
        if (link->broken) return;
        if (listening_ == nullptr) {
            link->broken = true;
            return tell_client_closed(link, world_.now());
        }
        listening_->accept(link);
        to_client(link, world_.now() + latency(), [link] {
            if (!link->broken && link->client != nullptr) link->client->connected();
        });
    });
    return link;
}

void Wires::send(const LinkRef& link, Bytes frame) {
    if (link->broken || link->server == nullptr) return;
    link->to_server = std::max(link->to_server, world_.now() + latency());
    SimNetwork& network = link->server->network_;
    network.shards_.shard(link->server->shard_)
        .at(link->to_server, [link, frame = std::move(frame)]() mutable {
            if (!link->broken && link->server != nullptr) link->server->arrived(std::move(frame));
        });
}

void Wires::hang_up(const LinkRef& link) {
    link->client = nullptr;
    cut(link);
}

void Wires::cut(const LinkRef& link) {
    if (link->broken) return;
    link->broken = true;
    tell_client_closed(link, world_.now() + latency());
    if (link->server == nullptr) return;
    SimNetwork& network = link->server->network_;
    network.shards_.shard(link->server->shard_).at(world_.now() + latency(), [link] {
        if (link->server != nullptr) link->server->end("the connection was cut");
    });
}

void Wires::cut_some(int per_thousand) {
    for (auto at = links_.begin(); at != links_.end();) {
        const LinkRef link = at->second.lock();
        if (!link || link->broken) {
            at = links_.erase(at);
            continue;
        }
        if (world_.random().chance(per_thousand)) cut(link);
        ++at;
    }
}

void Wires::to_client(const LinkRef& link, sdk::Instant at, sdk::Task task) {
    link->to_client = std::max(link->to_client, at);
    world_.schedule(link->to_client, 0, false, std::move(task));
}

void Wires::tell_client_closed(const LinkRef& link, sdk::Instant soonest) {
    to_client(link, soonest, [link] {
        link->broken = true;
        if (auto* client = std::exchange(link->client, nullptr)) client->closed();
    });
}

SimConnection::SimConnection(SimNetwork& network, std::size_t shard, LinkRef link)
    : network_{network},
      shard_{shard},
      link_{std::move(link)},
      remote_{"10.0.0." + std::to_string(link_->number % 250), 40'000} {}

sdk::Shard& SimConnection::shard() {
    return network_.shards_.at(shard_);
}

void SimConnection::send(std::vector<sdk::Slice> slices) {
    if (closing_ || network_.shards_.severed()) return;
    Bytes bytes = bytes_of(slices);
    sdk::ensure(bytes.size() > 4, "a frame is sent with its length");
    bytes.erase(bytes.begin(), bytes.begin() + 4);
    unsent_ += bytes.size();
    was_congested_ = was_congested_ || congested();
    auto& wires = network_.wires_;
    // It leaves this machine on the way: until then it counts as unsent.
    network_.shards_.shard(shard_).at(network_.world_.now() + wires.latency(),
                                      [link = link_, size = bytes.size()] {
                                          SimConnection* self = link->server;
                                          if (self == nullptr) return;
                                          self->unsent_ -= size;
                                          if (!self->was_congested_ || self->congested()) return;
                                          self->was_congested_ = false;
                                          if (!self->closing_) self->handler_->drained();
                                      });
    wires.to_client(link_, network_.world_.now() + wires.latency(),
                    [link = link_, bytes = std::move(bytes)]() mutable {
                        if (link->broken || link->client == nullptr) return;
                        link->client->received(std::move(bytes));
                    });
}

bool SimConnection::congested() const {
    return unsent_ > network_.limits_.unsent_bytes;
}

void SimConnection::resume() {
    if (!std::exchange(paused_, false)) return;
    // Not inside this call.
    network_.shards_.at(shard_).post([link = link_] {
        if (link->server != nullptr) link->server->hand_over();
    });
}

void SimConnection::close(Close, std::string why) {
    if (std::exchange(closing_, true) || network_.shards_.severed()) return;
    network_.wires_.tell_client_closed(link_, network_.world_.now() + network_.wires_.latency());
    network_.shards_.shard(shard_).at(network_.world_.now() + network_.wires_.latency(),
                                      [link = link_, why = std::move(why)] {
                                          if (link->server != nullptr) link->server->end(why);
                                      });
}

void SimConnection::arrived(Bytes frame) {
    inbox_.push_back(std::move(frame));
    if (!paused_) hand_over();
}

void SimConnection::hand_over() {
    if (paused_ || closing_ || inbox_.empty()) return;
    std::vector<sdk::Frame> frames;
    for (Bytes& bytes : std::exchange(inbox_, {})) {
        auto owner = std::make_shared<Bytes>(std::move(bytes));
        const std::span<std::byte> all{*owner};
        frames.push_back({std::move(owner), all});
    }
    handler_->received(frames);
}

void SimConnection::end(const std::string& why) {
    const LinkRef link = link_;
    link->server = nullptr;
    if (handler_) handler_->closed(why);
    network_.destroy(link->number);  // This too.
}

SimNetwork::~SimNetwork() {
    stop_listening();
}

sdk::Result<sdk::Endpoint> SimNetwork::listen(sdk::ListenOptions options, sdk::Accept accept) {
    accept_ = std::move(accept);
    limits_ = options.limits;
    wires_.listening_ = this;
    return options.bind;
}

void SimNetwork::stop_listening() {
    if (wires_.listening_ == this) wires_.listening_ = nullptr;
}

void SimNetwork::connect(sdk::Shard& shard, sdk::Endpoint, sdk::FrameLimits, sdk::Accept,
                         sdk::Function<void(sdk::Result<sdk::Connection*>)> done) {
    shard.post([done = std::move(done)]() mutable {
        done(sdk::Error{sdk::Errc::unavailable, "nobody to talk to in this world"});
    });
}

void SimNetwork::accept(const LinkRef& link) {
    const std::size_t shard = next_shard_++ % shards_.count();
    auto made = std::make_unique<SimConnection>(*this, shard, link);
    link->server = made.get();
    connections_.emplace(link->number, std::move(made));
    link->to_server = world_.now() + wires_.latency();
    shards_.shard(shard).at(link->to_server, [this, link] {
        if (link->server == nullptr) return;
        link->server->handler_ = accept_(*link->server);
    });
}

void SimNetwork::die(bool with_the_machine) {
    stop_listening();
    for (const auto& [number, known] : wires_.links_) {
        const LinkRef link = known.lock();
        if (!with_the_machine || !link || link->broken) continue;
        // Also what is on its way to a client of a connection that is closed already.
        link->broken = true;
        wires_.tell_client_closed(link, world_.now() + wires_.latency());
    }
    auto connections = std::exchange(connections_, {});
    for (auto& [number, connection] : connections) {
        const LinkRef link = connection->link_;
        link->server = nullptr;
        const auto notice = with_the_machine ? milliseconds{1000} : milliseconds{5};
        wires_.tell_client_closed(link,
                                  world_.now() + world_.random().between(sdk::Instant{0}, notice));
        if (connection->handler_) connection->handler_->closed("the process is gone");
    }
}

}  // namespace leat::simulation
