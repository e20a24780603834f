#include "core/runtime/memory_budget.h"

#include "leat/sdk/ensure.h"

namespace leat::runtime {

bool MemoryBudget::take(std::uint64_t bytes) {
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    do {
        if (bytes > limit_ - taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
    return true;
}

void MemoryBudget::give_back(std::uint64_t bytes) {
    const std::uint64_t before = taken_.fetch_sub(bytes, std::memory_order_relaxed);
    sdk::ensure(before >= bytes, "no more is given back than was taken");
}

MemoryLease::~MemoryLease() {
    budget_.give_back(leased_);
}

bool MemoryLease::take(std::uint64_t bytes) {
    if (bytes > leased_ - used_) {
        const std::uint64_t missing = bytes - (leased_ - used_);
        const std::uint64_t pieces = (missing + piece_bytes - 1) / piece_bytes * piece_bytes;
        if (budget_.take(pieces)) {
            leased_ += pieces;
        } else if (budget_.take(missing)) {
            leased_ += missing;
        } else {
            return false;
        }
    }
    used_ += bytes;
    return true;
}

void MemoryLease::give_back(std::uint64_t bytes) {
    sdk::ensure(used_ >= bytes, "no more is given back than was taken");
    used_ -= bytes;
    // One piece stays, so that a quiet shard does not go back and forth.
    if (const std::uint64_t idle = leased_ - used_; idle > 2 * piece_bytes) {
        budget_.give_back(idle - piece_bytes);
        leased_ -= idle - piece_bytes;
    }
}

}  // namespace leat::runtime
