// What every command over the wire has: which broker, how long to be patient, and the end by
// ctrl-C.
#pragma once

#include <optional>
#include <string>

#include "core/app/command_line.h"
#include "core/client/cluster.h"
#include "leat/sdk/function.h"

namespace leat::app {

struct BrokerOption {
    std::string brokers = "127.0.0.1:9092";  // Or $LEAT_BROKER.
    std::string timeout = "30s";

    void add_to(CLI::App& command);

    // Errc::invalid_argument for what cannot be read.
    sdk::Result<client::Cluster> cluster(client::Watch& watch) const;
};

// Runs a command: `act` gets the cluster and returns the exit code, or the error to say.
// SIGINT, SIGTERM and SIGHUP end its waits; a second one ends the process at once.
using OverTheWire = sdk::Function<sdk::Result<int>(client::Cluster&)>;
int over_the_wire(const BrokerOption& broker, OverTheWire act);

// One sentence on stderr, and the exit code for it.
int say(const sdk::Error& error);

}  // namespace leat::app
