// A shard that a test turns by hand: tasks, timers and offloaded work run inside run_ready(),
// advance() and run_until(), on the test's own thread.
//
//   ManualShard shard;
//   backend.commit(..., [&](auto outcome) { seen = outcome; });
//   shard.run_until([&] { return seen.has_value(); });
//
// Time       Virtual by default: it stands still but in advance(), and run_until() jumps to the
//            next timer when nothing else is left to do. With Time::real it is the machine's, and
//            run_until() waits: for what has threads or sockets of its own.
// Work       Runs inside run_ready() once no task is left. With Work::held it stays until
//            run_work(), so that a test sees the moment in which a worker is busy. With
//            Work::threaded it runs on threads, as in a broker: for the thread sanitizer.
// Threads    post() may come from anywhere, everything else from the test's thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "leat/sdk/ensure.h"
#include "leat/sdk/shard.h"

namespace leat::sdk::testing {

class ManualShard final : public Shard {
public:
    enum class Time { manual, real };
    enum class Work { prompt, held, threaded };

    explicit ManualShard(Time time = Time::manual, Work work = Work::prompt)
        : time_{time}, work_mode_{work} {}

    Instant now() const override {
        if (time_ == Time::manual) return now_;
        return std::chrono::steady_clock::now().time_since_epoch();
    }
    Timestamp wall_clock() const override {
        using std::chrono::duration_cast;
        using std::chrono::milliseconds;
        if (time_ == Time::manual)
            return {first_wall_ms + wall_ahead_ms_ + duration_cast<milliseconds>(now_).count()};
        const auto since = std::chrono::system_clock::now().time_since_epoch();
        return {duration_cast<milliseconds>(since).count()};
    }

    // Somebody sets the wall clock; the steady one does not notice. Manual time only.
    void set_wall_clock_ahead(std::chrono::milliseconds by) { wall_ahead_ms_ += by.count(); }

    void post(Task task) override {
        const std::scoped_lock held{mutex_};
        tasks_.push_back(std::move(task));
        posted_.notify_one();
    }
    TimerId after(std::chrono::nanoseconds delay, Task task) override {
        const TimerId id{++last_timer_};
        timers_.emplace(std::pair{now() + delay, id}, std::move(task));
        return id;
    }
    void cancel(TimerId timer) override {
        std::erase_if(timers_, [&](const auto& one) { return one.first.second == timer; });
    }
    void offload(Task work, Task done) override {
        if (work_mode_ != Work::threaded) {
            work_.push_back({std::move(work), std::move(done)});
            return;
        }
        std::erase_if(running_, [](const std::future<void>& one) {
            return one.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
        });
        running_.push_back(std::async(
            std::launch::async, [this, work = std::move(work), done = std::move(done)]() mutable {
                work();
                post(std::move(done));
            }));
    }

    // Everything that can run now: tasks in order, timers that are due, and, if it is prompt, work.
    // Returns how many have run.
    std::size_t run_ready() {
        std::size_t ran = 0;
        for (;; ++ran) {
            ensure(ran < most_in_a_row, "a test's tasks come to an end");
            if (auto task = next_task()) {
                (*task)();
            } else if (!timers_.empty() && timers_.begin()->first.first <= now()) {
                timers_.extract(timers_.begin()).mapped()();
            } else if (work_mode_ != Work::prompt || !run_work()) {
                return ran;
            }
        }
    }

    // What runs now takes so long. Nothing else happens meanwhile. Manual time only.
    void time_passes(std::chrono::nanoseconds span) { now_ += span; }

    // Lets `span` of virtual time pass, stopping at every timer on the way.
    void advance(std::chrono::nanoseconds span) {
        const Instant until = now_ + span;
        run_ready();
        while (!timers_.empty() && timers_.begin()->first.first <= until) {
            now_ = std::max(now_, timers_.begin()->first.first);
            run_ready();
        }
        now_ = until;
    }

    // Lets `span` pass, of whichever time this shard has.
    void pass(std::chrono::nanoseconds span) {
        if (time_ == Time::manual)
            advance(span);
        else
            run_until([] { return false; }, span);
    }

    // Runs until `condition` holds, for `patience` at most (of whichever time this shard has).
    // Returns whether it holds.
    template <class Condition>
    bool run_until(Condition&& condition, std::chrono::nanoseconds patience = default_patience) {
        const Instant deadline = now() + patience;
        for (;;) {
            run_ready();
            if (condition()) return true;
            if (now() >= deadline) return false;
            if (!wait_for_more(deadline)) return false;
        }
    }

    // One piece of offloaded work and, later, what was to be done after it. False if there is none.
    bool run_work() {
        if (work_.empty()) return false;
        Offloaded next = std::move(work_.front());
        work_.pop_front();
        next.work();
        post(std::move(next.done));
        return true;
    }
    std::size_t work_waiting() const { return work_.size(); }

    // As when the process dies: nothing that waits will ever run.
    void forget_everything() {
        const std::scoped_lock held{mutex_};
        tasks_.clear();
        timers_.clear();
        work_.clear();
    }

private:
    struct Offloaded {
        Task work;
        Task done;
    };
    static constexpr std::int64_t first_wall_ms = 1'700'000'000'000;
    std::int64_t wall_ahead_ms_ = 0;
    static constexpr std::size_t most_in_a_row = 50'000'000;
    static constexpr std::chrono::seconds default_patience{20};

    std::optional<Task> next_task() {
        const std::scoped_lock held{mutex_};
        if (tasks_.empty()) return std::nullopt;
        std::optional<Task> task{std::move(tasks_.front())};
        tasks_.pop_front();
        return task;
    }

    bool wait_for_more(Instant deadline) {
        Instant next = deadline;
        if (!timers_.empty()) next = std::min(next, timers_.begin()->first.first);
        if (time_ == Time::manual) {
            if (timers_.empty()) return false;  // Nothing will ever happen.
            now_ = std::max(now_, next);
            return true;
        }
        std::unique_lock held{mutex_};
        posted_.wait_for(held, next - now(), [&] { return !tasks_.empty(); });
        return true;
    }

    const Time time_;
    const Work work_mode_;
    Instant now_ = std::chrono::seconds{1};
    std::uint64_t last_timer_ = 0;
    std::map<std::pair<Instant, TimerId>, Task> timers_;
    std::deque<Offloaded> work_;
    std::mutex mutex_;
    std::condition_variable posted_;
    std::deque<Task> tasks_;
    std::vector<std::future<void>> running_;  // Last: destroyed first, which waits for them.
};

}  // namespace leat::sdk::testing
