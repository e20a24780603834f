// Decides when a partition's log is synced. A machine: it is told what happened and when, and says
// whether a sync should start now or by when to ask again. At most one sync runs at a time.
//
// Three promises (docs/promises.md):
//   none      the operating system writes back when it likes;
//   interval  what was appended is durable at most that long after it was appended;
//   each      an acknowledgement waits for a sync that began after its append. Whatever is appended
//             while a sync runs shares the next one: group commit.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "leat/sdk/shard.h"
#include "leat/sdk/strong.h"

namespace leat::broker {

struct FlushPromise {
    enum class Kind { none, interval, each };
    Kind kind = Kind::none;
    std::chrono::milliseconds interval{0};
    std::int64_t messages = INT64_MAX;  // flush.messages: a sync after so many offsets.

    bool operator==(const FlushPromise&) const = default;
};

class FlushSchedule {
public:
    FlushSchedule(FlushPromise promise, sdk::Offset durable)
        : promise_{promise}, end_{durable}, durable_{durable} {}

    void change_promise(FlushPromise promise) { promise_ = promise; }
    bool acknowledges_after_sync() const {
        return promise_.kind == FlushPromise::Kind::each || promise_.messages <= 1;
    }

    void appended(sdk::Offset end, sdk::Instant now);
    // Somebody waits for a sync that covers `end`: it is due, whatever the promise becomes.
    void owe(sdk::Offset end) { owed_ = std::max(owed_, end); }
    void started();                      // A sync of everything below the present end has begun.
    void finished(sdk::Offset durable);  // It has ended well. A failed one ends the partition.

    // A sync should be started now.
    bool due(sdk::Instant now) const;
    // When to ask again; nothing while a sync runs (then finished() comes) or nothing is to be
    // done.
    std::optional<sdk::Instant> ask_again_at() const;

    sdk::Offset durable() const { return durable_; }

private:
    bool anything_to_sync() const { return !running_ && end_ > durable_; }

    FlushPromise promise_;
    sdk::Offset end_;
    sdk::Offset durable_;
    sdk::Offset owed_{0};
    std::optional<sdk::Instant> oldest_unsynced_;
    sdk::Offset syncing_to_{};
    std::optional<sdk::Instant> appended_during_sync_;
    bool running_ = false;
};

}  // namespace leat::broker
