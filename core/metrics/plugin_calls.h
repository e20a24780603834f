// What was asked of one plugin instance, on one shard or for it on a worker.
#pragma once

#include <chrono>
#include <cstdint>

namespace leat::metrics {

// [shard] A worker's calls are counted when their outcome comes home.
struct PluginCalls {
    // A call on a shard that took longer kept every partition and connection of it waiting.
    static constexpr std::chrono::milliseconds stall{10};

    std::uint64_t calls = 0;
    std::uint64_t errors = 0;       // It returned an error, or threw.
    std::uint64_t stalls = 0;       // Of appends and reads, on a shard.
    std::uint64_t quarantines = 0;  // It was put where nobody asks it: an assignor.

    void made(bool well) {
        ++calls;
        if (!well) ++errors;
    }
    void took(std::chrono::nanoseconds time) {
        if (time > stall) ++stalls;
    }
    void merge(const PluginCalls& other) {
        calls += other.calls;
        errors += other.errors;
        stalls += other.stalls;
        quarantines += other.quarantines;
    }
};

}  // namespace leat::metrics
