// A shard: one thread with one event loop. A partition, a connection, a session lives on exactly
// one shard, so its code needs no lock. The simulation implements the same interface over virtual
// time.
//
// [shard] below means: called on this shard's own thread. Everything posted runs there too, one
// task at a time, in the order in which it was posted from any one thread.
#pragma once

#include <chrono>
#include <cstdint>

#include "leat/sdk/function.h"
#include "leat/sdk/strong.h"

namespace leat::sdk {

// Time since any fixed start, never set back: for deadlines. Never compared between processes.
using Instant = std::chrono::nanoseconds;

enum class TimerId : std::uint64_t { none = 0 };

class Shard {
public:
    virtual Instant now() const = 0;           // Any thread. Steady.
    virtual Timestamp wall_clock() const = 0;  // Any thread. For record timestamps and retention.

    // Any thread. Runs `task` on this shard, after what is running now. What sockets have become
    // readable in the same turn of the loop is handled before it.
    virtual void post(Task task) = 0;

    // [shard] Runs `task` once, not before `delay` has passed. cancel() of a timer that has run is
    // harmless; after cancel() the task does not run.
    virtual TimerId after(std::chrono::nanoseconds delay, Task task) = 0;
    virtual void cancel(TimerId timer) = 0;

    // [shard] Runs `work` on a worker thread, which may wait for a device, then `done` on this
    // shard.
    virtual void offload(Task work, Task done) = 0;

protected:
    ~Shard() = default;
};

}  // namespace leat::sdk
