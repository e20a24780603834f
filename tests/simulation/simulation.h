// One simulated run: a broker, its disk and store, clients, and what goes wrong, all from one seed.
//
//   topics made -> some seconds under load and faults -> calm -> everything must come to its end
//
// One topic is deleted and made again all the while, under load as the others are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/admin.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/consumer.h"
#include "tests/simulation/offset_asker.h"
#include "tests/simulation/producer.h"
#include "tests/simulation/troubled_broker.h"

namespace leat::simulation {

struct RunResult {
    std::uint64_t seed = 0;
    std::uint64_t trace = 0;
    std::optional<std::string> violation;
    std::uint64_t records = 0;  // That somebody was told of.
    std::uint64_t offsets = 0;  // Answers of ListOffsets that were held against the model.
    std::size_t topics = 0;     // That were made, ever.
    int restarts = 0;
    double virtual_seconds = 0;
};

RunResult run(std::uint64_t seed, bool readable);

class Simulation {
public:
    Simulation(std::uint64_t seed, bool readable);
    ~Simulation();

    RunResult run();

private:
    void add_topics();
    void start_clients();
    void calm_down();

    template <class Condition>
    bool run_until(Condition condition, sdk::Instant within);
    bool everything_read() const;
    std::string unfinished() const;
    void compare_all();
    void compare(const TopicPartition& where, const Life& life);

    const std::uint64_t seed_;
    Trace trace_;
    World world_;
    SimShards outside_;
    Checker checker_;
    TroubledBroker broker_;

    std::vector<TopicPartition> partitions_;
    std::size_t lasting_ = 0;  // So many of them are of topics that nobody deletes.
    std::unique_ptr<TopicMaker> maker_;
    std::unique_ptr<TopicChurner> churner_;
    std::unique_ptr<OffsetAsker> asker_;
    std::vector<std::unique_ptr<IdempotentProducer>> idempotent_;
    std::vector<std::unique_ptr<PlainProducer>> plain_;
    std::vector<std::unique_ptr<Consumer>> consumers_;
    std::unique_ptr<Consumer> verifier_;
};

}  // namespace leat::simulation
