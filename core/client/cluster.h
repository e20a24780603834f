// The brokers of a cluster as one client sees them: where they are, who leads which partition, one
// connection to each that was needed. Nothing is asked in the background: metadata is as old as the
// last refresh(), and whoever is answered "not the leader" refreshes and asks again. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/client/address.h"
#include "core/client/connection.h"
#include "core/client/watch.h"
#include "core/wire/messages/metadata.h"

namespace leat::client {

class Cluster {
public:
    // `timeout` bounds each request, and how long persist() goes on without success.
    Cluster(std::vector<Address> bootstrap, std::chrono::milliseconds timeout, Watch& watch)
        : bootstrap_{std::move(bootstrap)}, timeout_{timeout}, watch_{watch} {}

    std::chrono::milliseconds timeout() const { return timeout_; }
    Watch& watch() { return watch_; }
    bool reached() const { return reached_; }  // Any broker, ever.

    // A connection to whichever broker can be reached: one that is open, else one of the bootstrap
    // addresses in their order, else one of the brokers that metadata named.
    sdk::Result<Connection*> any();
    // To the broker with this id in the last metadata. Errc::unavailable if it is not there now.
    sdk::Result<Connection*> node(std::int32_t id);
    // To the controller, or to any broker where metadata names none: that one forwards.
    sdk::Result<Connection*> controller();
    // After an error of a call on it.
    void drop(const Connection* connection);

    // One call on a connection that drop() takes back when it fails.
    template <wire::Message Response, wire::Message Request>
    sdk::Result<Response> call(Connection& connection, const Request& request,
                               wire::Version ceiling = INT16_MAX) {
        auto response = connection.call<Response>(request, ceiling);
        if (!response && response.error().code != sdk::Errc::unsupported) drop(&connection);
        return response;
    }

    // Asks for these topics (nothing: all), and keeps what is said of brokers and partitions.
    // `create` lets a broker that does so make topics that are not there.
    sdk::Result<wire::MetadataResponse> refresh(
        const std::optional<std::vector<std::string>>& topics, bool create = false);
    // The same for one topic; an error of the topic, retriable ones too, is an error here.
    sdk::Status refresh_topic(const std::string& topic, bool create = false);

    struct Partition {
        std::int32_t leader = -1;
        std::int32_t leader_epoch = -1;
    };
    // Of the last refresh that named the topic; in their order, empty if none did.
    const std::vector<Partition>& partitions(const std::string& topic) const;
    // Errc::unavailable if there is no leader now.
    sdk::Result<Connection*> leader(const std::string& topic, std::int32_t partition);

    // Calls `act` until it succeeds, pausing longer and longer, as long as its error is
    // Errc::unavailable and `timeout` has not passed. Before any broker was reached at all it is
    // called once: a wrong address is to be said at once.
    template <class Act>
    auto persist(Act act) -> decltype(act()) {
        Patience patience{timeout_};
        for (;;) {
            auto result = act();
            if (result || !worth_another_try(result.error())) return result;
            const auto waited = pause(patience, result.error());
            if (!waited) return waited.error();
        }
    }

    // The time that one undertaking has, for loops that persist() does not fit.
    class Patience {
    public:
        explicit Patience(std::chrono::milliseconds timeout)
            : deadline_{SteadyClock::now() + timeout} {}

    private:
        friend class Cluster;
        SteadyClock::time_point deadline_;
        std::chrono::milliseconds next_{50};
    };
    bool worth_another_try(const sdk::Error& error) const {
        return error.code == sdk::Errc::unavailable && reached_;
    }
    // Errc::closed when the watch says so; `why`, marked as given up, when the time is over.
    sdk::Status pause(Patience& patience, const sdk::Error& why);

private:
    sdk::Result<Connection*> connect(const Address& address);
    void keep(const wire::MetadataResponse& response);

    std::vector<Address> bootstrap_;
    std::chrono::milliseconds timeout_;
    Watch& watch_;
    bool reached_ = false;
    std::vector<std::unique_ptr<Connection>> open_;
    std::map<std::int32_t, Address> nodes_;
    std::int32_t controller_ = -1;
    std::map<std::string, std::vector<Partition>> topics_;
};

}  // namespace leat::client
