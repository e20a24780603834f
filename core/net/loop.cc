#include "core/net/loop.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::net {

namespace {

thread_local const Loop* loop_of_this_thread = nullptr;

}  // namespace

Loop::Loop(std::size_t index, Workers& workers)
    : index_{index},
      workers_{workers},
      epoll_{::epoll_create1(EPOLL_CLOEXEC)},
      wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      turn_began_{now()} {
    sdk::ensure(epoll_ && wake_, "a process may have two descriptors for each shard");
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;  // Never read: an edge is all that is needed.
    event.data.ptr = nullptr;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
}

Loop::~Loop() = default;

sdk::Instant Loop::now() const {
    timespec at{};
    ::clock_gettime(CLOCK_MONOTONIC, &at);
    return std::chrono::seconds{at.tv_sec} + std::chrono::nanoseconds{at.tv_nsec};
}

sdk::Timestamp Loop::wall_clock() const {
    timespec at{};
    ::clock_gettime(CLOCK_REALTIME, &at);
    return {static_cast<std::int64_t>(at.tv_sec) * 1000 + at.tv_nsec / 1'000'000};
}

bool Loop::is_here() const {
    return loop_of_this_thread == this || !runs_.load(std::memory_order_acquire);
}

void Loop::post(sdk::Task task) {
    if (loop_of_this_thread == this) {
        posted_here_.push_back(std::move(task));
        return;
    }
    bool sleeping = false;
    {
        const std::lock_guard lock{mutex_};
        posted_.push_back(std::move(task));
        sleeping = std::exchange(asleep_, false);
    }
    if (sleeping) wake();
}

void Loop::wake() {
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then the loop is being woken anyway.
    [[maybe_unused]] const auto ignored = ::write(wake_.get(), &one, sizeof one);
}

sdk::TimerId Loop::after(std::chrono::nanoseconds delay, sdk::Task task) {
    return timers_.add(now() + delay, std::move(task));
}

void Loop::cancel(sdk::TimerId timer) { timers_.cancel(timer); }

void Loop::offload(sdk::Task work, sdk::Task done) {
    workers_.run([this, work = std::move(work), done = std::move(done)]() mutable {
        work();
        post(std::move(done));
    });
}

void Loop::run() {
    loop_of_this_thread = this;
    runs_.store(true, std::memory_order_release);
    while (!finished_) turn();
}

void Loop::leave() { loop_of_this_thread = nullptr; }

void Loop::turn() {
    std::array<epoll_event, most_events_per_turn> events;
    const int count = wait(events);
    turn_began_ = now();
    for (int i = 0; i < count; ++i) {
        auto* watcher = static_cast<Watcher*>(events[static_cast<std::size_t>(i)].data.ptr);
        if (watcher != nullptr) watcher->ready(events[static_cast<std::size_t>(i)].events);
    }
    timers_.run_due(turn_began_);
    for (int round = 0; round < most_rounds_per_turn && take_posted(); ++round) {
        for (sdk::Task& task : running_) std::exchange(task, nullptr)();
    }
    end_turn();
}

int Loop::wait(std::span<epoll_event> events) {
    timespec timeout{};
    const timespec* until = nullptr;
    bool sleep = false;
    if (posted_here_.empty() && turn_end_.empty() && next_turn_end_.empty()) {
        const auto due = timers_.next_due();
        const auto left = due ? *due - now() : sdk::Instant::zero();
        if (!due || left > sdk::Instant::zero()) {
            const std::lock_guard lock{mutex_};
            sleep = asleep_ = posted_.empty();
        }
        if (sleep && due) {
            timeout.tv_sec = left.count() / 1'000'000'000;
            timeout.tv_nsec = left.count() % 1'000'000'000;
            until = &timeout;
        }
    }
    if (!sleep) until = &timeout;
    const int count = ::epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                     until, nullptr);
    if (count < 0 && errno == ENOSYS) {  // Before Linux 5.11: whole milliseconds.
        const int ms = until == nullptr ? -1
                                        : static_cast<int>(until->tv_sec * 1000 +
                                                           (until->tv_nsec + 999'999) / 1'000'000);
        return ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), ms);
    }
    return count;
}

bool Loop::take_posted() {
    running_.clear();
    {
        const std::lock_guard lock{mutex_};
        asleep_ = false;
        running_.swap(posted_);
    }
    for (sdk::Task& task : posted_here_) running_.push_back(std::move(task));
    posted_here_.clear();
    return !running_.empty();
}

void Loop::end_turn() {
    constexpr int most_rounds = 4;  // A watcher that is called may ask again.
    for (int round = 0; round < most_rounds && !turn_end_.empty(); ++round) {
        ending_.swap(turn_end_);
        for (std::size_t i = 0; i < ending_.size(); ++i) {
            if (ending_[i] != nullptr) ending_[i]->turn_ends();
        }
        ending_.clear();
    }
    turn_end_.insert(turn_end_.end(), next_turn_end_.begin(), next_turn_end_.end());
    next_turn_end_.clear();
}

void Loop::forget(const Watcher& watcher) {
    std::erase(turn_end_, &watcher);
    std::erase(next_turn_end_, &watcher);
    std::replace(ending_.begin(), ending_.end(), const_cast<Watcher*>(&watcher),
                 static_cast<Watcher*>(nullptr));
}

void Loop::run_posted() {
    constexpr int most_rounds = 1000;
    const Loop* before = std::exchange(loop_of_this_thread, this);
    for (int round = 0; round < most_rounds; ++round) {
        const bool any = take_posted();
        for (sdk::Task& task : running_) std::exchange(task, nullptr)();
        if (!any && turn_end_.empty()) break;
        end_turn();
    }
    loop_of_this_thread = before;
}

void Loop::drop_posted() {
    std::vector<sdk::Task> dropped;  // Let go without the lock: a task may own what posts.
    {
        const std::lock_guard lock{mutex_};
        dropped.swap(posted_);
    }
    std::vector<sdk::Task> here;
    here.swap(posted_here_);
}

bool Loop::watch(int descriptor, std::uint32_t epoll_events, Watcher& watcher) {
    epoll_event event{};
    event.events = epoll_events;
    event.data.ptr = &watcher;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Loop::rewatch(int descriptor, std::uint32_t epoll_events, Watcher& watcher) {
    epoll_event event{};
    event.events = epoll_events;
    event.data.ptr = &watcher;
    const int done = ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
    sdk::ensure(done == 0, "a descriptor that is rewatched is watched and open");
}

void Loop::unwatch(int descriptor) {
    epoll_event event{};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, &event);
}

}  // namespace leat::net
