// runtime::LoneThread as a thread of the process, made when there is work for it.
//
// Ending     The destructor waits for what runs, but not for ever: after `patience` it is left
//            behind as well. While any of those runs, the process must not tear down what it may
//            use: it ends with std::_Exit.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "core/runtime/lone_thread.h"

namespace leat::net {

class LoneThread final : public runtime::LoneThread {
public:
    static constexpr std::chrono::milliseconds patience{500};

    LoneThread() = default;
    ~LoneThread() { end(); }
    LoneThread(const LoneThread&) = delete;
    LoneThread& operator=(const LoneThread&) = delete;

    void run(sdk::Task work) override;
    void leave_behind() override;

    // As the destructor: waits for what runs. False: a thread that was left behind, now or earlier,
    // still runs.
    bool end();

private:
    struct Desk;  // Shared with the thread, which may outlive this.

    std::shared_ptr<Desk> desk_;
    std::thread thread_;
    std::shared_ptr<std::atomic<int>> left_ = std::make_shared<std::atomic<int>>(0);  // Running.
};

}  // namespace leat::net
