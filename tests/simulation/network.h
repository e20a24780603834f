// The network of a simulated world. Clients are endpoints of it and outlive the broker's process;
// SimNetwork is that process's side.
//
// Order      Frames of one connection arrive in the order in which they were sent. Each has its own
//            latency, so what goes over different connections overtakes.
// Cut        A connection that is cut loses what is in flight, in both directions. So does one
//            whose machine crashes; after a kill of the process alone, what was sent still arrives.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "leat/sdk/network.h"
#include "tests/simulation/world.h"

namespace leat::simulation {

using Bytes = std::vector<std::byte>;

// A client's side of a connection. Called from the world, never inside a call of its own.
class ClientEnd {
public:
    virtual void connected() = 0;
    virtual void received(Bytes frame) = 0;  // Without its length.
    virtual void closed() = 0;               // Refused, cut, or closed by the broker.

protected:
    ~ClientEnd() = default;
};

class SimConnection;
class SimNetwork;

// One connection, for as long as either side holds it (the two die at different times).
struct Link {
    std::uint64_t number = 0;
    ClientEnd* client = nullptr;      // Null once the client has heard of its end, or has closed.
    SimConnection* server = nullptr;  // Null before accept and after closed().
    bool broken = false;              // Nothing arrives any more.
    sdk::Instant to_server{0};        // When the latest frame of each direction arrives.
    sdk::Instant to_client{0};
};
using LinkRef = std::shared_ptr<Link>;

// The wires: what clients use.
class Wires {
public:
    explicit Wires(World& world) : world_{world} {}

    LinkRef dial(ClientEnd& client);
    void send(const LinkRef& link, Bytes frame);
    void hang_up(const LinkRef& link);  // By the client, which hears nothing more.
    void cut(const LinkRef& link);
    void cut_some(int per_thousand);

    sdk::Instant slowest{std::chrono::milliseconds{3}};

private:
    friend class SimNetwork;
    friend class SimConnection;

    sdk::Instant latency() {
        return world_.random().between(std::chrono::microseconds{30}, slowest);
    }
    void to_client(const LinkRef& link, sdk::Instant at, sdk::Task task);
    void tell_client_closed(const LinkRef& link, sdk::Instant soonest);

    World& world_;
    SimNetwork* listening_ = nullptr;
    std::uint64_t last_link_ = 0;
    std::map<std::uint64_t, std::weak_ptr<Link>> links_;
};

class SimConnection final : public sdk::Connection {
public:
    SimConnection(SimNetwork& network, std::size_t shard, LinkRef link);

    sdk::Shard& shard() override;
    const sdk::Endpoint& local() const override { return local_; }
    const sdk::Endpoint& remote() const override { return remote_; }
    std::string_view listener() const override { return "plain"; }
    void send(std::vector<sdk::Slice> slices) override;
    bool congested() const override;
    void pause() override { paused_ = true; }
    void resume() override;
    void close(Close how, std::string why) override;

    void arrived(Bytes frame);
    void end(const std::string& why);  // The handler hears of it; destroys this.

private:
    friend class SimNetwork;
    friend class Wires;
    void hand_over();

    SimNetwork& network_;
    const std::size_t shard_;
    LinkRef link_;
    std::unique_ptr<sdk::ConnectionHandler> handler_;
    std::deque<Bytes> inbox_;
    std::size_t unsent_ = 0;
    bool was_congested_ = false;
    bool paused_ = false;
    bool closing_ = false;
    const sdk::Endpoint local_{"127.0.0.1", 9092};
    const sdk::Endpoint remote_;
};

class SimNetwork final : public sdk::Network {
public:
    SimNetwork(World& world, Wires& wires, SimShards& shards)
        : world_{world}, wires_{wires}, shards_{shards} {}
    ~SimNetwork();

    sdk::Result<sdk::Endpoint> listen(sdk::ListenOptions options, sdk::Accept accept) override;
    void stop_listening() override;
    void connect(sdk::Shard& shard, sdk::Endpoint to, sdk::FrameLimits limits, sdk::Accept accept,
                 sdk::Function<void(sdk::Result<sdk::Connection*>)> done) override;

    // The process ends without a word: handlers hear closed(), clients a while later.
    void die(bool with_the_machine);
    std::size_t connections() const { return connections_.size(); }

private:
    friend class Wires;
    friend class SimConnection;

    void accept(const LinkRef& link);
    void destroy(std::uint64_t number) { connections_.erase(number); }

    World& world_;
    Wires& wires_;
    SimShards& shards_;
    sdk::Accept accept_;
    sdk::FrameLimits limits_;
    std::size_t next_shard_ = 0;
    std::map<std::uint64_t, std::unique_ptr<SimConnection>> connections_;
};

}  // namespace leat::simulation
