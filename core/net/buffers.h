// A shard's memory for incoming frames: blocks in classes of powers of two, kept when they come
// back because the first touch of a page costs more than copying it ten times. What is out is
// charged to the shard's share of the memory budget, and so is what waits to be sent.
//
// A block may be let go on any thread; it then travels home by a posted task. It must not outlive
// the Buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "core/net/loop.h"
#include "core/runtime/memory_budget.h"

namespace leat::net {

class Filling;

class Buffers final : public Watcher {
public:
    using Use = runtime::MemoryBudget::Use;

    static constexpr std::size_t smallest_kept = 4 * 1024;
    static constexpr std::size_t largest_kept = 4 * 1024 * 1024;
    static constexpr std::size_t most_kept = 16 * 1024 * 1024;  // In all classes together.
    static constexpr int most_served_per_turn = 64;             // Of those that wait.

    Buffers(Loop& loop, runtime::MemoryBudget& budget)
        : loop_{loop}, budget_{budget}, lease_{budget} {}
    ~Buffers();
    Buffers(const Buffers&) = delete;
    Buffers& operator=(const Buffers&) = delete;

    struct Block {
        std::shared_ptr<void> owner;  // Shared by the frames in it, which the handler parts.
        std::span<std::byte> bytes;
    };

    // [shard] False: the budget is spent, or others wait for it already, here or on another shard;
    // wait() for it. A charge
    // becomes part of a block, or goes back: what was not used after all by uncharge(), what others
    // may have now by discharge().
    bool charge(std::uint64_t bytes, Use use = Use::small);
    void uncharge(std::uint64_t bytes) { lease_.give_back(bytes); }
    void discharge(std::uint64_t bytes);

    // [shard] For answers, which cannot wait; given back by discharge().
    void charge_output(std::uint64_t bytes) { lease_.overdraw(bytes); }
    // What one connection may hold of output before it counts as congested: a part of what is left,
    // so that however many hold theirs and never read, something is left for the others (dynamic
    // thresholds, Choudhury and Hahne, 1998). 200 such leave nearly half.
    std::uint64_t output_share() const { return budget_.left() / 256; }

    // [shard] A block of `bytes` bytes for which `bytes` have been charged; they are given back
    // when the last owner lets go.
    Block make(std::size_t bytes);

    std::uint64_t charged() const { return lease_.used(); }
    std::uint64_t largest_frame() const { return budget_.largest_frame(); }
    // Some shard waits for memory.
    bool wanted() const { return budget_.wanted(); }

    // Who waits for memory, once in a queue: in order for each use. A large frame that waits does
    // not hold up small ones, which have a part of the budget to themselves.
    class Waiter {
    public:
        // Goes on, if there is memory now; it is out of the queue when it is called. `stuck`: there
        // is not, it becomes the first again. One that has used some and wants more waits anew.
        enum class Tried { done, stuck };
        virtual Tried try_again() = 0;

    protected:
        ~Waiter() = default;
    };
    // [shard] Calls waiter.try_again() when memory may have come back: after a while, because other
    // shards draw on the same budget; or, if none of them waits, at the end of a turn in which this
    // shard let go of something. So the shards that wait have even chances.
    void wait(Waiter& waiter, Use use);
    void stop_waiting(Waiter& waiter);

    void turn_ends() override;
    void ready(std::uint32_t) override {}

private:
    friend class Filling;
    struct Release;

    std::byte* allocate(std::size_t bytes);  // Null: the system has none.
    void recycle(std::byte* memory, std::size_t bytes);
    Block block(std::byte* memory, std::size_t bytes, bool seated);
    void take_back(std::byte* memory, std::size_t bytes, bool seated);
    bool take_seat();
    void leave_seat();

    std::deque<Waiter*>& queue(Use use) { return waiting_[static_cast<std::size_t>(use)]; }
    bool anyone_waits() const { return !waiting_[0].empty() || !waiting_[1].empty(); }
    void serve(Use use);
    void serve_soon();
    void note_waiting();
    bool others_wait(Use use) const;

    static constexpr std::size_t classes = 11;  // 4 KiB to 4 MiB.
    Loop& loop_;
    runtime::MemoryBudget& budget_;
    runtime::MemoryLease lease_;
    std::array<std::vector<std::byte*>, classes> kept_;
    std::size_t kept_bytes_ = 0;
    std::array<std::deque<Waiter*>, 2> waiting_;
    bool serving_ = false;  // The first in a queue is being tried: it alone may charge.
    bool serves_soon_ = false;
    std::array<bool, 2> noted_{};  // The budget knows that this shard waits.
    sdk::TimerId retry_ = sdk::TimerId::none;
};

}  // namespace leat::net
