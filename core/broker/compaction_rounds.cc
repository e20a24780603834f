#include "core/broker/compaction_rounds.h"

namespace leat::broker {

void CompactionRounds::begin() {
    if (interval_.count() <= 0) return;
    clock_.read(shard_.wall_clock(), shard_.now());
    after_a_pause();
}

void CompactionRounds::after_a_pause() {
    shard_.after(interval_, [this] { round(); });
}

void CompactionRounds::round() {
    now_ = clock_.read(shard_.wall_clock(), shard_.now()).time;
    opened_ = 0;
    const auto keys = compacted_();
    left_.assign(keys.begin(), keys.end());
    next();
}

// Clients are answered between two.
void CompactionRounds::next() {
    if (left_.empty()) return after_a_pause();
    const PartitionKey key = left_.front();
    left_.pop_front();
    const auto go_on = [this] { shard_.post([this] { next(); }); };
    if (!table_.has(key) && ++opened_ > opened_per_round) return go_on();
    table_.with_open(key, [this, key, go_on](Partition* partition, wire::ErrorCode) {
        if (partition == nullptr) return go_on();
        partition->compact(now_, terms_, [this, key, go_on](bool again) {
            if (again) left_.push_back(key);
            go_on();
        });
    });
}

}  // namespace leat::broker
