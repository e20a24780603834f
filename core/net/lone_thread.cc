#include "core/net/lone_thread.h"

#include <utility>

namespace leat::net {

struct LoneThread::Desk {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<sdk::Task> waiting;
    bool closed = false;  // It ends when nothing waits.
    bool ended = false;
    std::shared_ptr<std::atomic<int>> left;  // Set when this is left behind; one of those counted.

    void serve();
};

void LoneThread::Desk::serve() {
    std::unique_lock lock{mutex};
    for (;;) {
        changed.wait(lock, [this] { return closed || !waiting.empty(); });
        if (waiting.empty()) break;
        {
            sdk::Task work = std::move(waiting.front());
            waiting.pop_front();
            lock.unlock();
            work();
        }
        lock.lock();
    }
    ended = true;
    if (left) left->fetch_sub(1);
    changed.notify_all();
}

void LoneThread::run(sdk::Task work) {
    if (!desk_) {
        desk_ = std::make_shared<Desk>();
        thread_ = std::thread{[desk = desk_] { desk->serve(); }};
    }
    const std::lock_guard lock{desk_->mutex};
    desk_->waiting.push_back(std::move(work));
    desk_->changed.notify_all();
}

void LoneThread::leave_behind() {
    const auto desk = std::exchange(desk_, nullptr);
    if (!desk) return;
    std::deque<sdk::Task> dropped;
    const std::lock_guard lock{desk->mutex};
    desk->waiting.swap(dropped);
    desk->closed = true;
    if (!desk->ended) {
        left_->fetch_add(1);
        desk->left = left_;
    }
    desk->changed.notify_all();
    thread_.detach();
}

bool LoneThread::end() {
    if (const auto desk = desk_) {
        bool ended = false;
        {
            std::unique_lock lock{desk->mutex};
            desk->waiting.clear();
            desk->closed = true;
            desk->changed.notify_all();
            ended = desk->changed.wait_for(lock, patience, [&desk] { return desk->ended; });
        }
        ended ? thread_.join() : leave_behind();
        desk_.reset();
    }
    return left_->load() == 0;
}

}  // namespace leat::net
