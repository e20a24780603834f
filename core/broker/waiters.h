// Purgatory: what waits on one partition. Produces wait until their records are committed and,
// where the promise says so, synced; fetches wait for the high watermark to move. Both live on the
// partition's shard; nothing here has a lock or a timer (whoever waits has its own).
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/wire/error_code.h"
#include "leat/sdk/function.h"
#include "leat/sdk/strong.h"

namespace leat::broker {

// Appends that are not yet acknowledged, in log order.
class CommitWaiters {
public:
    using Done = sdk::Function<void(wire::ErrorCode)>;

    void wait(sdk::Offset end, bool for_commit, bool for_sync, Done done) {
        waiting_.push_back({end, for_commit, for_sync, std::move(done)});
    }

    // Acknowledges what lies below the points that its promise needs, in order. One that waits
    // holds up those behind it: points move together, and answers stay in log order.
    void advance(sdk::Offset committed, sdk::Offset durable) {
        while (!waiting_.empty()) {
            Waiter& first = waiting_.front();
            if (first.for_commit && first.end > committed) return;
            if (first.for_sync && first.end > durable) return;
            Done done = std::move(first.done);
            waiting_.pop_front();
            done(wire::ErrorCode::none);
        }
    }

    void fail(wire::ErrorCode error) {
        for (auto waiters = std::exchange(waiting_, {}); Waiter & waiter : waiters) {
            waiter.done(error);
        }
    }

    bool empty() const { return waiting_.empty(); }

private:
    struct Waiter {
        sdk::Offset end;
        bool for_commit;
        bool for_sync;
        Done done;
    };
    std::deque<Waiter> waiting_;
};

// Fetches that found too little, and watches of fetch sessions. Each is told once, then forgotten.
class FetchWaiters {
public:
    using Id = std::uint64_t;  // Chosen by who waits, from PartitionTables::next_waiter(). Never 0.

    // Where the waiter runs. `elsewhere`: it only posts to another shard.
    enum class Runs { here, elsewhere };

    void wait(Id id, Runs where, sdk::Task advanced) {
        waiting_.push_back({id, where, std::move(advanced)});
    }
    bool empty() const { return waiting_.empty(); }
    void forget(Id id) {
        std::erase_if(waiting_, [id](const Waiter& waiter) { return waiter.id == id; });
    }
    void tell_all() {
        for (auto waiters = std::exchange(waiting_, {}); Waiter & waiter : waiters) {
            waiter.advanced();
        }
    }
    // Before the records that have moved the partition are acknowledged: whoever has heard of them
    // then asks the other shard later than this. Nothing comes back from it.
    void tell_elsewhere() {
        std::erase_if(waiting_, [](Waiter& waiter) {
            if (waiter.runs == Runs::elsewhere) waiter.advanced();
            return waiter.runs == Runs::elsewhere;
        });
    }

private:
    struct Waiter {
        Id id;
        Runs runs;
        sdk::Task advanced;
    };
    std::vector<Waiter> waiting_;
};

}  // namespace leat::broker
