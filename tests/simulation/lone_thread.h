// The thread of foreign code, over virtual time: what it is handed takes as long as a worker's.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/runtime/lone_thread.h"
#include "tests/simulation/world.h"

namespace leat::simulation {

class SimLoneThread final : public runtime::LoneThread {
public:
    explicit SimLoneThread(SimShards& process) : process_{process} {}

    void run(sdk::Task work) override {
        process_.at(0).offload(
            [thread = thread_, number = *thread_, work = std::move(work)]() mutable {
                if (number == *thread) work();
            },
            [] {});
    }
    // It may be at work, or about to begin: either way nobody waits for that.
    void leave_behind() override { ++*thread_; }

private:
    SimShards& process_;
    const std::shared_ptr<std::uint64_t> thread_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace leat::simulation
