// A shard's timers: a heap by due time. Cancelling forgets the task at once and leaves the heap's
// entry behind; when more than half of the entries are such, the heap is rebuilt, so that a million
// cancelled long polls do not stay until they would have been due.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "leat/sdk/function.h"
#include "leat/sdk/shard.h"

namespace leat::net {

// [shard]
class Timers {
public:
    sdk::TimerId add(sdk::Instant due, sdk::Task task);
    void cancel(sdk::TimerId timer);

    std::optional<sdk::Instant> next_due();

    // Runs what is due at `now`; what those tasks add waits for the next call.
    void run_due(sdk::Instant now);

private:
    struct Slot {
        sdk::Task task;
        std::uint32_t generation = 1;  // So that an old TimerId does not name a new timer.
        bool waiting = false;
    };
    struct Entry {
        sdk::Instant due;
        std::uint64_t sequence;  // Timers of one instant run in the order in which they were added.
        std::uint32_t slot;
        std::uint32_t generation;
    };
    static bool later(const Entry& a, const Entry& b);

    bool alive(const Entry& entry) const;
    void pop();
    void drop_cancelled();
    void free_slot(std::uint32_t index);

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<Entry> heap_;
    std::size_t waiting_ = 0;
    std::uint64_t sequence_ = 0;
};

}  // namespace leat::net
