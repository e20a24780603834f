// The threads that may wait for a device. Each is started when there is work and nobody idle, so
// that a broker that never needs one has none.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "leat/sdk/function.h"

namespace leat::net {

class Workers {
public:
    // When so much is waiting, run() waits: the shard that asks for more is then held back by the
    // device. No worker waits for a shard, so it always ends.
    static constexpr std::size_t most_waiting = 64 * 1024;

    explicit Workers(std::size_t most_threads) : most_threads_{most_threads} {}
    ~Workers() { stop(); }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // [any thread] Work is begun in the order in which it was handed in. After stop()
    // it is dropped.
    void run(sdk::Task work);

    // [any thread but a worker] Runs what is waiting, then ends the threads.
    void stop();

    struct Figures {
        std::size_t waiting;
        std::size_t threads;
        std::size_t idle;
    };
    Figures figures() const;  // [any thread]

private:
    void serve();

    const std::size_t most_threads_;
    mutable std::mutex mutex_;
    std::condition_variable work_;
    std::condition_variable room_;
    std::deque<sdk::Task> waiting_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool stopping_ = false;
};

}  // namespace leat::net
