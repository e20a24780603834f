// How many sessions there are, and on which shard: what a drain waits for, and what says whether a
// shard has enough of them.
//
// Threads    [any thread]
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace leat::api {

struct SessionCounts {
    explicit SessionCounts(std::size_t shards) : by_shard(shards) {}

    std::atomic<std::size_t> open{0};  // Those on their way to another shard included.
    std::vector<std::atomic<std::size_t>> by_shard;
};

// One that is counted as long as this lives: by its session, or by what travels for it. Shares the
// counts, because a session between two shards may be the last thing that a runtime lets go.
class CountedSession {
public:
    CountedSession(std::shared_ptr<SessionCounts> counts, std::size_t shard)
        : counts_{std::move(counts)}, shard_{shard} {
        ++counts_->open;
        ++counts_->by_shard[shard_];
    }
    CountedSession(CountedSession&&) noexcept = default;
    CountedSession& operator=(CountedSession&& other) noexcept {
        std::swap(counts_, other.counts_);
        std::swap(shard_, other.shard_);
        return *this;
    }
    ~CountedSession() {
        if (!counts_) return;  // Moved from.
        --counts_->by_shard[shard_];
        --counts_->open;
    }

    // Before it is there, so that of many who would go at once only so many go as there is room.
    void belongs_to(std::size_t shard) {
        ++counts_->by_shard[shard];
        --counts_->by_shard[std::exchange(shard_, shard)];
    }

private:
    std::shared_ptr<SessionCounts> counts_;
    std::size_t shard_;
};

}  // namespace leat::api
