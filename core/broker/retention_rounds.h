// Goes round the partitions of one shard and lets each apply its retention: Kafka's retention task
// (`log.retention.check.interval.ms`). A partition that nobody has used since the start is opened
// for it, few in a round, so that a start with many partitions stays light.
//
// Threads    [shard] throughout.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "core/broker/partition_table.h"
#include "core/log/retention.h"
#include "core/logging/logger.h"

namespace leat::broker {

class RetentionRounds {
public:
    static constexpr std::chrono::milliseconds longest_first_pause{30'000};  // As Kafka's.
    static constexpr std::size_t partitions_per_turn = 64;  // Clients are answered between two.
    static constexpr std::size_t opened_per_round = 200;

    // `limited` names the partitions of this shard that have a limit at all.
    using Limited = std::function<std::vector<PartitionKey>()>;

    // `logger` hears of a wall clock that jumps; null where another shard says so.
    RetentionRounds(sdk::Shard& shard, PartitionTable& table, std::chrono::milliseconds interval,
                    Limited limited, logging::Logger* logger)
        : shard_{shard},
          table_{table},
          interval_{interval},
          limited_{std::move(limited)},
          logger_{logger} {}

    // Goes on until the shard ends. Does nothing where the interval is 0.
    void begin();

private:
    void after(std::chrono::milliseconds pause);
    void round();
    void turn();
    void look_at(const PartitionKey& key);

    sdk::Shard& shard_;
    PartitionTable& table_;
    const std::chrono::milliseconds interval_;
    const Limited limited_;
    logging::Logger* const logger_;
    log::RetentionClock clock_;
    sdk::Timestamp now_{0};  // Of this round.
    std::vector<PartitionKey> left_;
    std::size_t opened_ = 0;
};

}  // namespace leat::broker
