// One budget of bytes for everything that foreign input makes the broker hold: frames in flight,
// parked requests, decompression, output. When it is spent the broker stops reading from sockets;
// it never drops work that it has accepted.
//
// MemoryBudget is the process's total; each shard holds a MemoryLease on it, which takes and gives
// back pieces of 1 MiB, so that the shared counter is seldom touched.
#pragma once

#include <atomic>
#include <cstdint>

namespace leat::runtime {

class MemoryBudget {
public:
    explicit MemoryBudget(std::uint64_t bytes) : limit_{bytes} {}

    std::uint64_t limit() const { return limit_; }
    std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }

    // [any thread] All of `bytes`, or nothing.
    bool take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);

private:
    const std::uint64_t limit_;
    std::atomic<std::uint64_t> taken_{0};
};

// [shard] Not shared between shards.
class MemoryLease {
public:
    static constexpr std::uint64_t piece_bytes = 1024 * 1024;

    explicit MemoryLease(MemoryBudget& budget) : budget_{budget} {}
    MemoryLease(const MemoryLease&) = delete;
    MemoryLease& operator=(const MemoryLease&) = delete;
    ~MemoryLease();

    bool take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);  // What was taken from this same lease.
    std::uint64_t used() const { return used_; }

private:
    MemoryBudget& budget_;
    std::uint64_t leased_ = 0;
    std::uint64_t used_ = 0;
};

}  // namespace leat::runtime
