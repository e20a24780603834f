// Virtual time: one queue of events for everything that happens, and shards over it. Nothing runs
// but by step(), so a run is a function of its seed.
//
//   World world{seed, trace};
//   SimShards broker{world, 2};     // One process: its shards and its workers.
//   broker.at(0).post(...);
//   world.step();
//   broker.kill();                  // What was on its way in it never happens.
//
// Order      Tasks posted from one shard to another arrive in that order, those of different
//            shards in any. Offloaded work runs as one event at a later time, its `done` later.
// Killed     A process that was killed is destroyed by running its own stop sequence cut off from
//            the world (SimShards::run_severed): its objects insist on an end in order.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/runtime/shards.h"
#include "leat/sdk/shard.h"
#include "tests/simulation/random.h"
#include "tests/simulation/trace.h"
#include "tests/simulation/wall_clock.h"

namespace leat::simulation {

using Owner = std::uint64_t;  // Which process an event belongs to; 0: to none.

class World {
public:
    World(std::uint64_t seed, Trace& trace) : random_{seed}, trace_{trace} {}

    sdk::Instant now() const { return now_; }
    WallClock& wall() { return wall_; }
    const WallClock& wall() const { return wall_; }
    sdk::Timestamp wall_clock() const { return wall_.at(now_); }  // The broker's.
    sdk::Timestamp client_clock() const { return WallClock::unset(now_); }
    Random& random() { return random_; }
    Trace& trace() { return trace_; }
    void note(std::string_view who, const std::string& what) { trace_.note(now_, who, what); }

    std::uint64_t schedule(sdk::Instant at, Owner owner, bool timer, sdk::Task task);
    void cancel(std::uint64_t event);
    // The next event happens. False if there is none.
    bool step();

    // Takes the events of a process out, in their order.
    struct Taken {
        std::vector<sdk::Task> tasks;
        std::vector<sdk::Task> timers;
    };
    Taken take(Owner owner);

    Owner new_owner() { return ++last_owner_; }
    // How long work of a worker takes at most.
    sdk::Instant slowest_work{std::chrono::milliseconds{2}};
    // Who runs now, for the order of posts. Null: somebody outside.
    const void* running = nullptr;

private:
    struct Event {
        Owner owner;
        bool timer;
        sdk::Task task;
    };
    using Key = std::pair<sdk::Instant, std::uint64_t>;

    Random random_;
    Trace& trace_;
    sdk::Instant now_{0};
    WallClock wall_;
    std::uint64_t last_event_ = 0;
    Owner last_owner_ = 0;
    std::map<Key, Event> events_;
    std::unordered_map<std::uint64_t, sdk::Instant> timers_;
};

// What a process that was killed still does to itself.
struct Severed {
    bool yes = false;
    std::deque<sdk::Task> tasks;
    std::vector<sdk::Task> never;  // Timers: kept until all is over, and not run.
};

class SimShard final : public sdk::Shard {
public:
    SimShard(World& world, Owner owner, Severed& severed)
        : world_{world}, owner_{owner}, severed_{severed} {}

    sdk::Instant now() const override { return world_.now(); }
    sdk::Timestamp wall_clock() const override { return world_.wall_clock(); }
    void post(sdk::Task task) override;
    sdk::TimerId after(std::chrono::nanoseconds delay, sdk::Task task) override;
    void cancel(sdk::TimerId timer) override { world_.cancel(static_cast<std::uint64_t>(timer)); }
    void offload(sdk::Task work, sdk::Task done) override;

    // At `at`, on this shard: what sockets bring.
    void at(sdk::Instant at, sdk::Task task);

private:
    void arrive(sdk::Instant at, bool timer, sdk::Task task, std::uint64_t* id);

    World& world_;
    const Owner owner_;
    Severed& severed_;
    std::map<const void*, sdk::Instant> last_from_;
};

class SimShards final : public runtime::Shards {
public:
    SimShards(World& world, std::size_t count);
    ~SimShards();

    std::size_t count() const override { return shards_.size(); }
    sdk::Shard& at(std::size_t index) override { return *shards_[index]; }
    SimShard& shard(std::size_t index) { return *shards_[index]; }
    Owner owner() const { return owner_; }
    bool severed() const { return severed_.yes; }

    // The process is dead for the world.
    void kill();
    // Runs what is left in it, without time, until nothing is.
    void run_severed();

private:
    World& world_;
    const Owner owner_;
    Severed severed_;
    std::vector<std::unique_ptr<SimShard>> shards_;
};

}  // namespace leat::simulation
