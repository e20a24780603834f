// One budget of bytes for everything that foreign input makes the broker hold: frames that arrive,
// wait, run or are parked, and the answers that were made for clients. When it is spent the broker
// stops reading from sockets; it never drops work that it has accepted.
//
// The budget has three parts, so that no kind of use waits for another one for ever:
//
//   |<---------------------- bytes ----------------------->|
//   |  for all: large frames, small ones  | small | seat   |
//
//   seat    `largest_frame` bytes for one large frame at a time. Whoever sits in it needs nothing
//           more to arrive whole, be run and be answered, so large frames that hold parts of
//           themselves and wait for each other cannot stop for good, and none waits for a gap
//           that small ones never leave.
//   small   a quarter of the rest, which large frames leave to small ones.
//
// Answers are charged whether or not there is room (overdraw()): an accepted request must be
// answered.
//
// MemoryBudget is the process's total; each shard holds a MemoryLease on it, which takes and gives
// back whole pieces, so that the shared counter is seldom touched.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace leat::runtime {

class MemoryBudget {
public:
    enum class Use { small, large };

    struct Options {
        std::uint64_t bytes = 0;
        std::uint64_t largest_frame = 0;  // The seat. 0: there is none.
        std::size_t leases = 1;           // How many share it; smaller pieces for more of them.
    };
    explicit MemoryBudget(Options options);

    // A frame of this size can arrive, and no larger one.
    std::uint64_t largest_frame() const { return seat_ != 0 ? seat_ : limit_of(Use::large); }
    std::uint64_t limit() const { return general_ + seat_; }
    // Leases' unused parts included; above limit() only by what was overdrawn.
    std::uint64_t taken() const;
    // What is left for all but the seat; 0 when overdrawn.
    std::uint64_t left() const;
    // What leases take at a time. All that they keep unused is a sixteenth of the budget at most.
    std::uint64_t piece() const { return piece_; }

    // [any thread] All of `bytes`, or nothing.
    bool take(std::uint64_t bytes, Use use = Use::small);
    void overdraw(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);

    // [any thread] The seat, for one frame of at most largest_frame() bytes.
    bool take_seat();
    void leave_seat();

    // [any thread] A shard waits for memory, until end_wait(). While one does, leases keep nothing
    // that they do not use, and clients that hold memory without making progress are closed sooner.
    void begin_wait(Use use) { waiting(use).fetch_add(1, std::memory_order_relaxed); }
    void end_wait(Use use) { waiting(use).fetch_sub(1, std::memory_order_relaxed); }
    // How many shards wait.
    std::uint32_t wanted(Use use) const {
        return waiting_[static_cast<std::size_t>(use)].load(std::memory_order_relaxed);
    }
    bool wanted() const { return wanted(Use::small) != 0 || wanted(Use::large) != 0; }

private:
    std::uint64_t limit_of(Use use) const {
        return use == Use::large && seat_ != 0 ? general_ - general_ / 4 : general_;
    }

    std::atomic<std::uint32_t>& waiting(Use use) { return waiting_[static_cast<std::size_t>(use)]; }

    const std::uint64_t seat_;
    const std::uint64_t general_;
    const std::uint64_t piece_;
    std::atomic<std::uint64_t> taken_{0};
    std::atomic<bool> seated_{false};
    std::array<std::atomic<std::uint32_t>, 2> waiting_{};
};

// [shard] Not shared between shards.
class MemoryLease {
public:
    explicit MemoryLease(MemoryBudget& budget) : budget_{budget} {}
    MemoryLease(const MemoryLease&) = delete;
    MemoryLease& operator=(const MemoryLease&) = delete;
    ~MemoryLease();

    bool take(std::uint64_t bytes, MemoryBudget::Use use = MemoryBudget::Use::small);
    void overdraw(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);  // What was taken from this same lease.
    void give_back_unused();              // What it keeps for the next take().
    std::uint64_t used() const { return used_; }

private:
    MemoryBudget& budget_;
    std::uint64_t leased_ = 0;
    std::uint64_t used_ = 0;
};

}  // namespace leat::runtime
