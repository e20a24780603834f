// How a broker ends in order: no new connections; parked requests are answered, running ones
// finish; then the logs are synced and closed, and the broker leaves the cluster.
//
// Threads    Lives on shard 0, as Metadata does. Must outlive `done`.
#pragma once

#include <cstddef>

#include "core/api/services.h"
#include "leat/sdk/function.h"
#include "leat/sdk/network.h"

namespace leat::api {

class Drain {
public:
    Drain(Services& services, sdk::Network& network) : services_{services}, network_{network} {}

    // [shard 0] Once. `done` hears, on shard 0, whether every log was synced and closed well; after
    // it nothing of the broker is at work any more. Sessions get 10 s to finish.
    void start(sdk::Function<void(bool)> done);

private:
    void wait_for_sessions(sdk::Instant until);
    void close_partitions();

    Services& services_;
    sdk::Network& network_;
    sdk::Function<void(bool)> done_;
    std::size_t still_closing_ = 0;
    bool logs_closed_well_ = true;
};

}  // namespace leat::api
