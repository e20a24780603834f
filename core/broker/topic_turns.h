// One change of a topic at a time: its growth, its configs, its deletion. Each is made from what
// the one before has left.
//
// Threads    One shard, that of the constructor.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "leat/sdk/function.h"
#include "leat/sdk/shard.h"
#include "leat/sdk/uuid.h"

namespace leat::broker {

class TopicTurns : public std::enable_shared_from_this<TopicTurns> {
public:
    static constexpr std::size_t most_waiting = 1000;  // For one topic.

    explicit TopicTurns(sdk::Shard& shard) : shard_{shard} {}

    // Runs `work`, now or when its turn has come; it ends with leave(). False, and nothing is run,
    // when too many wait.
    bool enter(const sdk::Uuid& topic, sdk::Task work) {
        const auto [at, free] = waiting_.try_emplace(topic);
        if (free) {
            work();
            return true;
        }
        if (at->second.size() >= most_waiting) return false;
        at->second.push_back(std::move(work));
        return true;
    }

    void leave(const sdk::Uuid& topic) {
        const auto found = waiting_.find(topic);
        if (found == waiting_.end()) return;
        if (found->second.empty()) {
            waiting_.erase(found);
            return;
        }
        auto next = std::move(found->second.front());
        found->second.pop_front();
        // In a turn of the loop of its own: a thousand that are refused at once are no recursion.
        shard_.post([self = shared_from_this(), next = std::move(next)]() mutable { next(); });
    }

private:
    sdk::Shard& shard_;
    std::map<sdk::Uuid, std::deque<sdk::Task>> waiting_;  // Of topics that are being changed.
};

}  // namespace leat::broker
