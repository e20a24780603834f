#include "core/net/workers.h"

#include <utility>

namespace leat::net {

void Workers::run(sdk::Task work) {
    std::unique_lock lock{mutex_};
    room_.wait(lock, [this] { return waiting_.size() < most_waiting; });
    if (stopping_) return;
    waiting_.push_back(std::move(work));
    if (idle_ < waiting_.size() && threads_.size() < most_threads_) {
        threads_.emplace_back([this] { serve(); });
    }
    work_.notify_one();
}

void Workers::serve() {
    std::unique_lock lock{mutex_};
    for (;;) {
        ++idle_;
        work_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        --idle_;
        if (waiting_.empty()) return;
        {
            sdk::Task work = std::move(waiting_.front());
            waiting_.pop_front();
            if (waiting_.size() + 1 == most_waiting) room_.notify_all();
            lock.unlock();
            work();
        }
        lock.lock();
    }
}

Workers::Figures Workers::figures() const {
    const std::lock_guard lock{mutex_};
    return {waiting_.size(), threads_.size(), idle_};
}

void Workers::stop() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
        threads.swap(threads_);
    }
    work_.notify_all();
    for (std::thread& thread : threads) thread.join();
}

}  // namespace leat::net
