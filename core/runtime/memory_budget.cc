#include "core/runtime/memory_budget.h"

#include <algorithm>

#include "leat/sdk/ensure.h"

namespace leat::runtime {
namespace {

constexpr std::uint64_t largest_piece = 1024 * 1024;

// A lease keeps two pieces at most.
std::uint64_t piece_for(std::uint64_t bytes, std::size_t leases) {
    return std::clamp<std::uint64_t>(bytes / (32 * std::max<std::size_t>(leases, 1)), 1,
                                     largest_piece);
}

}  // namespace

MemoryBudget::MemoryBudget(Options options)
    : seat_{options.largest_frame},
      general_{options.bytes - options.largest_frame},
      piece_{piece_for(options.bytes, options.leases)} {
    sdk::ensure(options.largest_frame < options.bytes || options.bytes == 0,
                "the largest frame leaves a part of the budget to others");
}

std::uint64_t MemoryBudget::taken() const {
    const std::uint64_t seated = seated_.load(std::memory_order_relaxed) ? seat_ : 0;
    return taken_.load(std::memory_order_relaxed) + seated;
}

std::uint64_t MemoryBudget::left() const {
    return general_ - std::min(general_, taken_.load(std::memory_order_relaxed));
}

bool MemoryBudget::take(std::uint64_t bytes, Use use) {
    const std::uint64_t limit = limit_of(use);
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    do {
        if (taken > limit || bytes > limit - taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
    return true;
}

void MemoryBudget::overdraw(std::uint64_t bytes) {
    taken_.fetch_add(bytes, std::memory_order_relaxed);
}

void MemoryBudget::give_back(std::uint64_t bytes) {
    const std::uint64_t before = taken_.fetch_sub(bytes, std::memory_order_relaxed);
    sdk::ensure(before >= bytes, "no more is given back than was taken");
}

bool MemoryBudget::take_seat() {
    return seat_ != 0 && !seated_.exchange(true, std::memory_order_relaxed);
}

void MemoryBudget::leave_seat() {
    const bool was = seated_.exchange(false, std::memory_order_relaxed);
    sdk::ensure(was, "only who sits in the seat leaves it");
}

MemoryLease::~MemoryLease() {
    budget_.give_back(leased_);
}

bool MemoryLease::take(std::uint64_t bytes, MemoryBudget::Use use) {
    if (bytes > leased_ - used_) {
        const std::uint64_t missing = bytes - (leased_ - used_);
        const std::uint64_t piece = budget_.piece();
        const std::uint64_t pieces = (missing + piece - 1) / piece * piece;
        if (budget_.take(pieces, use)) {
            leased_ += pieces;
        } else if (budget_.take(missing, use)) {
            leased_ += missing;
        } else {
            return false;
        }
    }
    used_ += bytes;
    return true;
}

void MemoryLease::overdraw(std::uint64_t bytes) {
    if (take(bytes)) return;
    const std::uint64_t missing = bytes - (leased_ - used_);
    budget_.overdraw(missing);
    leased_ += missing;
    used_ += bytes;
}

void MemoryLease::give_back(std::uint64_t bytes) {
    sdk::ensure(used_ >= bytes, "no more is given back than was taken");
    used_ -= bytes;
    // One piece stays, so that a quiet shard does not go back and forth.
    const std::uint64_t idle = leased_ - used_;
    const std::uint64_t piece = budget_.piece();
    if (idle > 2 * piece) {
        budget_.give_back(idle - piece);
        leased_ -= idle - piece;
    }
    if (budget_.wanted()) give_back_unused();
}

void MemoryLease::give_back_unused() {
    budget_.give_back(leased_ - used_);
    leased_ = used_;
}

}  // namespace leat::runtime
