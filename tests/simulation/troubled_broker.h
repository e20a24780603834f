// A broker on its machine, and what goes wrong with both: it is killed, its machine crashes, it is
// stopped in order, and each time started again; disk, network, store and wall clock play up. How
// much of what is the seed's choice.
//
//   start() -> begin_faults() ... end_faults() -> whatever it goes through now is without fault
#pragma once

#include <memory>
#include <vector>

#include "leat/sdk/function.h"
#include "leat/sdk/testing/coordination_model.h"
#include "tests/simulation/broker_process.h"

namespace leat::simulation {

class TroubledBroker {
public:
    // What a process, or its machine, took with it.
    using Lost = sdk::Function<void(const std::vector<Loss>& losses, bool machine)>;

    TroubledBroker(World& world, SimShards& outside, std::uint64_t seed, BrokerSettings settings,
                   Lost lost);
    ~TroubledBroker();

    SimDisk& disk() { return disk_; }
    const SimDisk& disk() const { return disk_; }
    Wires& wires() { return wires_; }
    BrokerProcess* process() { return process_.get(); }  // Null between two of them.
    int starts() const { return starts_; }

    void start(sdk::Instant least, sdk::Instant most);
    void begin_faults();
    // The process is killed once more, for logs that are offline stay so until a restart.
    void end_faults();

private:
    struct Plan {  // Of this seed: how much of each trouble, in a thousand.
        int kill = 0;
        int crash = 0;
        int stop = 0;
        int cut = 0;
        int slow_disk = 0;
        int failing_disk = 0;
        int store = 0;
        int clock = 0;
        sdk::Instant most_pause{};
    };

    void plan_faults();
    void next_fault();
    void fault();
    void disturb_disk();
    void disturb_store();
    void set_wall_clock();
    void end_process(bool with_the_machine);
    void stop_broker();

    World& world_;
    SimShards& outside_;
    SimDisk disk_;
    Wires wires_;
    sdk::testing::CoordinationModel store_;
    Machine machine_;
    Lost lost_;
    std::unique_ptr<BrokerProcess> process_;
    Plan plan_;
    bool faults_on_ = false;
    int starts_ = 0;
};

}  // namespace leat::simulation
