// What every simulated client is: one connection at a time, requests whose answers must come in
// order, a patience after which it gives a connection up and dials again.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/wire/frame.h"
#include "leat/sdk/function.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/network.h"
#include "tests/simulation/world.h"

namespace leat::simulation {

// What clients share.
struct Environment {
    World& world;
    Wires& wires;
    Checker& checker;
    SimShard& timers;  // Belongs to no process.
};

class Client : public ClientEnd {
public:
    Client(Environment environment, std::string name)
        : environment_{environment}, name_{std::move(name)} {}
    virtual ~Client();

    void connect();
    void connected() final;
    void received(Bytes frame) final;
    void closed() final;

protected:
    // The body of the answer; nothing if the connection was lost.
    using Answered = sdk::Function<void(std::optional<std::span<const std::byte>>)>;

    virtual void ready() = 0;  // Connected: go on.
    virtual void connection_lost() {}

    template <wire::Message T>
    void request(const T& message, wire::Version version, Answered answered) {
        wire::Buffer bytes;
        const auto status =
            wire::append_request(message, version, ++last_correlation_, name_, bytes);
        sdk::ensure(status.has_value(), "a client's own request can be encoded");
        send(std::move(bytes), T::traits.key, version, std::move(answered));
    }
    template <wire::Message T>
    void request_without_answer(const T& message, wire::Version version) {
        wire::Buffer bytes;
        const auto status =
            wire::append_request(message, version, ++last_correlation_, name_, bytes);
        sdk::ensure(status.has_value(), "a client's own request can be encoded");
        bytes.erase(bytes.begin(), bytes.begin() + wire::frame_size_bytes);
        environment_.wires.send(link_, std::move(bytes));
    }
    bool is_connected() const { return connected_; }
    std::size_t in_flight() const { return waiting_.size(); }
    void later(sdk::Instant delay, sdk::Task task);
    void give_up_connection();
    void note(const std::string& what) { environment_.world.note(name_, what); }
    Random& random() { return environment_.world.random(); }
    Checker& checker() const { return environment_.checker; }

    Environment environment_;
    sdk::Instant patience_ = std::chrono::seconds{4};

private:
    struct Waiting {
        std::int32_t correlation;
        wire::ApiKey key;
        wire::Version version;
        Answered answered;
    };

    void send(wire::Buffer bytes, wire::ApiKey key, wire::Version version, Answered answered);
    void lose();

    const std::string name_;
    LinkRef link_;
    bool connected_ = false;
    std::int32_t last_correlation_ = 0;
    std::deque<Waiting> waiting_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace leat::simulation
