#include "tests/simulation/world.h"

#include <algorithm>

#include "leat/sdk/ensure.h"

namespace leat::simulation {

using std::chrono::microseconds;

namespace {

constexpr sdk::Instant slowest_post = microseconds{20};

}  // namespace

std::uint64_t World::schedule(sdk::Instant at, Owner owner, bool timer, sdk::Task task) {
    const std::uint64_t id = ++last_event_;
    const sdk::Instant when = std::max(at, now_);
    events_.emplace(Key{when, id}, Event{owner, timer, std::move(task)});
    if (timer) timers_.emplace(id, when);
    return id;
}

void World::cancel(std::uint64_t event) {
    const auto found = timers_.find(event);
    if (found == timers_.end()) return;
    events_.erase(Key{found->second, event});
    timers_.erase(event);
}

bool World::step() {
    if (events_.empty()) return false;
    const auto first = events_.begin();
    now_ = first->first.first;
    trace_.mix(static_cast<std::uint64_t>(now_.count()));
    trace_.mix(first->first.second);
    if (first->second.timer) timers_.erase(first->first.second);
    auto event = events_.extract(first);
    event.mapped().task();
    return true;
}

World::Taken World::take(Owner owner) {
    Taken taken;
    for (auto at = events_.begin(); at != events_.end();) {
        if (at->second.owner != owner) {
            ++at;
            continue;
        }
        if (at->second.timer) timers_.erase(at->first.second);
        (at->second.timer ? taken.timers : taken.tasks).push_back(std::move(at->second.task));
        at = events_.erase(at);
    }
    return taken;
}

void SimShard::arrive(sdk::Instant at, bool timer, sdk::Task task, std::uint64_t* id) {
    const auto made = world_.schedule(at, owner_, timer, [this, task = std::move(task)]() mutable {
        world_.running = this;
        task();
        world_.running = nullptr;
    });
    if (id != nullptr) *id = made;
}

void SimShard::post(sdk::Task task) {
    if (severed_.yes) {
        severed_.tasks.push_back(std::move(task));
        return;
    }
    sdk::Instant& last = last_from_[world_.running];
    last = std::max(last, world_.now() + world_.random().between(sdk::Instant{0}, slowest_post));
    arrive(last, false, std::move(task), nullptr);
}

sdk::TimerId SimShard::after(std::chrono::nanoseconds delay, sdk::Task task) {
    if (severed_.yes) {
        severed_.never.push_back(std::move(task));
        return sdk::TimerId::none;
    }
    std::uint64_t id = 0;
    const auto late = world_.random().between(sdk::Instant{0}, microseconds{50});
    arrive(world_.now() + delay + late, true, std::move(task), &id);
    return sdk::TimerId{id};
}

void SimShard::offload(sdk::Task work, sdk::Task done) {
    if (severed_.yes) {
        severed_.tasks.push_back(std::move(work));
        severed_.tasks.push_back(std::move(done));
        return;
    }
    const auto takes = world_.random().between(microseconds{20}, world_.slowest_work);
    const auto run_at = world_.now() + world_.random().between(microseconds{10}, takes);
    const auto done_at = std::max(run_at, world_.now() + takes);
    // A worker is not this shard: what it posts has no order with what this one posts.
    world_.schedule(run_at, owner_, false,
                    [this, work = std::move(work), done = std::move(done), done_at]() mutable {
                        world_.running = &world_;
                        work();
                        world_.running = nullptr;
                        if (severed_.yes) {
                            severed_.tasks.push_back(std::move(done));
                            return;
                        }
                        arrive(done_at, false, std::move(done), nullptr);
                    });
}

void SimShard::at(sdk::Instant at, sdk::Task task) {
    arrive(at, false, std::move(task), nullptr);
}

SimShards::SimShards(World& world, std::size_t count) : world_{world}, owner_{world.new_owner()} {
    for (std::size_t i = 0; i < count; ++i) {
        shards_.push_back(std::make_unique<SimShard>(world, owner_, severed_));
    }
}

SimShards::~SimShards() {
    if (!severed_.yes) kill();
    run_severed();
}

void SimShards::kill() {
    severed_.yes = true;
    World::Taken taken = world_.take(owner_);
    for (sdk::Task& task : taken.tasks) severed_.tasks.push_back(std::move(task));
    for (sdk::Task& timer : taken.timers) severed_.never.push_back(std::move(timer));
}

void SimShards::run_severed() {
    constexpr int most_tasks = 1'000'000;
    for (int i = 0; !severed_.tasks.empty(); ++i) {
        sdk::ensure(i < most_tasks, "a process that was killed comes to rest");
        sdk::Task task = std::move(severed_.tasks.front());
        severed_.tasks.pop_front();
        task();
    }
    // What is in them may post when it is destroyed.
    auto never = std::move(severed_.never);
    severed_.never.clear();
    never.clear();
    if (!severed_.tasks.empty() || !severed_.never.empty()) run_severed();
}

}  // namespace leat::simulation
