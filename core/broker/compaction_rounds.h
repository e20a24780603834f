// Goes round the keyed topics' partitions of one shard and lets each compact its log, one after the
// other: Kafka's cleaner threads (`log.cleaner.backoff.ms`). A partition that nobody has used since
// the start is opened for it, few in a round.
//
// Threads    [shard] throughout.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "core/broker/compaction_pass.h"
#include "core/broker/partition_table.h"
#include "core/log/retention.h"

namespace leat::broker {

class CompactionRounds {
public:
    static constexpr std::size_t opened_per_round = 200;

    // Names the partitions of this shard that are to be compacted.
    using Compacted = std::function<std::vector<PartitionKey>()>;

    CompactionRounds(sdk::Shard& shard, PartitionTable& table, std::chrono::milliseconds interval,
                     CompactionTerms terms, Compacted compacted)
        : shard_{shard},
          table_{table},
          interval_{interval},
          terms_{terms},
          compacted_{std::move(compacted)} {}

    // Goes on until the shard ends. Does nothing where the interval is 0.
    void begin();

private:
    void after_a_pause();
    void round();
    void next();

    sdk::Shard& shard_;
    PartitionTable& table_;
    const std::chrono::milliseconds interval_;
    const CompactionTerms terms_;
    const Compacted compacted_;
    log::RetentionClock clock_;
    sdk::Timestamp now_{0};  // Of this round.
    std::deque<PartitionKey> left_;
    std::size_t opened_ = 0;
};

}  // namespace leat::broker
