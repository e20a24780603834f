#include "core/broker/retention_rounds.h"

#include <algorithm>
#include <string>

namespace leat::broker {

void RetentionRounds::begin() {
    if (interval_.count() <= 0) return;
    clock_.read(shard_.wall_clock(), shard_.now());
    after(std::min(interval_, longest_first_pause));
}

void RetentionRounds::after(std::chrono::milliseconds pause) {
    shard_.after(pause, [this] { round(); });
}

void RetentionRounds::round() {
    const auto reading = clock_.read(shard_.wall_clock(), shard_.now());
    if (reading.jumped_by_ms && logger_ != nullptr) {
        logger_->log(logging::Level::warn,
                     "the wall clock jumped: retention goes by the earlier time",
                     {{"by_ms", std::to_string(*reading.jumped_by_ms)}});
    }
    now_ = reading.time;
    opened_ = 0;
    left_ = limited_();
    turn();
}

void RetentionRounds::turn() {
    const std::size_t count = std::min(left_.size(), partitions_per_turn);
    for (std::size_t i = 0; i < count; ++i) {
        look_at(left_.back());
        left_.pop_back();
    }
    if (left_.empty()) return after(interval_);
    shard_.post([this] { turn(); });
}

void RetentionRounds::look_at(const PartitionKey& key) {
    if (!table_.has(key) && ++opened_ > opened_per_round) return;
    table_.with_open(key, [now = now_](Partition* partition, wire::ErrorCode) {
        if (partition != nullptr) partition->retain(now);
    });
}

}  // namespace leat::broker
