// A shard's memory for incoming frames: blocks in classes of powers of two, kept when they come
// back because the first touch of a page costs more than copying it ten times. What is out is
// charged to the shard's share of the memory budget.
//
// A block may be let go on any thread; it then travels home by a posted task. It must not outlive
// the Buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/net/loop.h"
#include "core/runtime/memory_budget.h"

namespace leat::net {

class Buffers {
public:
    static constexpr std::size_t smallest_kept = 4 * 1024;
    static constexpr std::size_t largest_kept = 4 * 1024 * 1024;
    static constexpr std::size_t most_kept = 16 * 1024 * 1024;  // In all classes together.

    Buffers(Loop& loop, runtime::MemoryBudget& budget) 
        : loop_{loop}, budget_{budget}, lease_{budget} {}
    ~Buffers();
    Buffers(const Buffers&) = delete;
    Buffers& operator=(const Buffers&) = delete;

    struct Block {
        std::shared_ptr<void> owner;  // Shared by the frames in it, which the handler parts.
        std::span<std::byte> bytes;
    };

    // [shard] False: the budget is spent, wait() for it. A charge becomes part of a block, or goes
    // back.
    bool charge(std::uint64_t bytes) { return lease_.take(bytes); }
    void discharge(std::uint64_t bytes);

    // [shard] A block of `bytes` bytes for which `bytes` have been charged; they are given back
    // when the last owner lets go.
    Block make(std::size_t bytes);

    std::uint64_t charged() const { return lease_.used(); }
    std::uint64_t limit() const { return budget_.limit(); }

    // [shard] Calls watcher.turn_ends() when memory may have come back: soon after this shard lets
    // go of something, or after a while, because other shards draw on the same budget.
    void wait(Watcher& watcher);
    void stop_waiting(Watcher& watcher);

private:
    struct Release;

    void take_back(std::byte* memory, std::size_t size);
    void wake_waiting();

    static constexpr std::size_t classes = 11;  // 4 KiB to 4 MiB.
    Loop& loop_;
    const runtime::MemoryBudget& budget_;
    runtime::MemoryLease lease_;
    std::array<std::vector<std::byte*>, classes> kept_;
    std::size_t kept_bytes_ = 0;
    std::vector<Watcher*> waiting_;
    sdk::TimerId retry_ = sdk::TimerId::none;
};

}  // namespace leat::net
