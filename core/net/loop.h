// A shard over epoll. One turn: wait; hand events to their watchers; run timers that are due; run
// what was posted; call whoever asked for the end of the turn (connections, to send what the turn
// has queued). Then wait again, not at all if something is left.
//
// Waking a sleeping thread costs a write to an eventfd and, on an idle core, 75 us. So a poster
// writes only if the loop is asleep, and only the first of them.
//
// Events are level triggered: a watcher that takes only part of what there is hears of the rest in
// the next turn, after its neighbours.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/timers.h"
#include "core/net/workers.h"
#include "leat/sdk/shard.h"

namespace leat::net {

// Hears of one descriptor. It must outlive the turn in which it is unwatched: its event may have
// been fetched already.
class Watcher {
public:
    virtual void ready(std::uint32_t epoll_events) = 0;
    virtual void turn_ends() {}

protected:
    ~Watcher() = default;
};

class Loop final : public sdk::Shard {
public:
    static constexpr int most_events_per_turn = 256;
    static constexpr int most_rounds_per_turn = 4;  // Of tasks that post tasks, before polling.

    Loop(std::size_t index, Workers& workers);
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    std::size_t index() const { return index_; }

    sdk::Instant now() const override;
    sdk::Timestamp wall_clock() const override;
    void post(sdk::Task task) override;
    sdk::TimerId after(std::chrono::nanoseconds delay, sdk::Task task) override;
    void cancel(sdk::TimerId timer) override;
    void offload(sdk::Task work, sdk::Task done) override;

    // The calling thread becomes the shard's; returns after finish(). It stays the shard's until
    // leave(), and the shard counts as running until over(), called when all threads are joined.
    void run();
    void leave();
    void over() { runs_.store(false, std::memory_order_release); }
    // [shard] run() returns at the end of this turn.
    void finish() { finished_ = true; }
    // [shard] Runs what is posted, and what that posts, without waiting for events: at the end.
    void run_posted();
    void drop_posted();  // Not run, once the loop has ended for good.
    // True on the shard's thread, and on any thread while the loop does not run.
    bool is_here() const;

    // [shard, or before run()] False with errno: out of descriptors or memory.
    bool watch(int descriptor, std::uint32_t epoll_events, Watcher& watcher);
    void rewatch(int descriptor, std::uint32_t epoll_events, Watcher& watcher);
    void unwatch(int descriptor);

    // [shard] Calls watcher.turn_ends() once when this turn ends; asked for in there: in this turn
    // as well if a round is left, otherwise in the next.
    void at_turn_end(Watcher& watcher) { turn_end_.push_back(&watcher); }
    void at_next_turn_end(Watcher& watcher) { next_turn_end_.push_back(&watcher); }
    void forget(const Watcher& watcher);  // Before it is destroyed.

    // [shard] When this turn began: cheap, for deadlines of seconds.
    sdk::Instant turn_began() const { return turn_began_; }

private:
    void turn();
    int wait(std::span<epoll_event> events);
    bool take_posted();
    void end_turn();
    void wake();

    const std::size_t index_;
    Workers& workers_;
    Descriptor epoll_;
    Descriptor wake_;
    Timers timers_;
    sdk::Instant turn_began_;
    bool finished_ = false;
    std::vector<sdk::Task> posted_here_;  // By this thread: no lock.
    std::vector<sdk::Task> running_;
    std::vector<Watcher*> turn_end_;
    std::vector<Watcher*> ending_;
    std::vector<Watcher*> next_turn_end_;
    std::atomic<bool> runs_{false};

    std::mutex mutex_;  // Guards the two below.
    std::vector<sdk::Task> posted_;
    bool asleep_ = false;
};

}  // namespace leat::net
