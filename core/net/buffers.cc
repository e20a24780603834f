#include "core/net/buffers.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::net {

namespace {

std::size_t capacity_for(std::size_t bytes) {
    if (bytes < Buffers::smallest_kept / 2 || bytes > Buffers::largest_kept) return bytes;
    return std::max(std::bit_ceil(bytes), Buffers::smallest_kept);
}

// Of a capacity that is kept.
std::size_t class_of(std::size_t capacity) {
    return static_cast<std::size_t>(std::countr_zero(capacity / Buffers::smallest_kept));
}

bool is_kept(std::size_t capacity) {
    return capacity >= Buffers::smallest_kept && capacity <= Buffers::largest_kept;
}

}  // namespace

struct Buffers::Release {
    Buffers* home;
    std::size_t size;
    bool seated;

    void operator()(void* memory) const {
        auto* bytes = static_cast<std::byte*>(memory);
        if (home->loop_.is_here()) {
            home->take_back(bytes, size, seated);
        } else {
            // Even a task that is dropped unrun brings the block home.
            home->loop_.post([block = std::shared_ptr<void>(memory, *this)] {});
        }
    }
};

Buffers::~Buffers() {
    loop_.forget(*this);
    for (auto& waiting : waiting_) waiting.clear();
    note_waiting();
    if (retry_ != sdk::TimerId::none) loop_.cancel(retry_);
    for (const auto& blocks : kept_) {
        for (std::byte* block : blocks) std::free(block);
    }
}

bool Buffers::charge(std::uint64_t bytes, Use use) {
    if (!serving_ && budget_.wanted(use) != 0) return false;
    return lease_.take(bytes, use);
}

void Buffers::discharge(std::uint64_t bytes) {
    lease_.give_back(bytes);
    if (!anyone_waits() || others_wait(Use::small) || others_wait(Use::large)) return;
    serve_soon();
}

bool Buffers::others_wait(Use use) const {
    return budget_.wanted(use) > (noted_[static_cast<std::size_t>(use)] ? 1u : 0u);
}

bool Buffers::take_seat() {
    if (!serving_ && budget_.wanted(Use::large) != 0) return false;
    return budget_.take_seat();
}

// Who waits here hears of it no sooner than the other shards, by the timer: otherwise a shard with
// many large frames would keep the seat for itself.
void Buffers::leave_seat() {
    budget_.leave_seat();
}

std::byte* Buffers::allocate(std::size_t bytes) {
    const std::size_t capacity = capacity_for(bytes);
    if (!is_kept(capacity) || kept_[class_of(capacity)].empty()) {
        return static_cast<std::byte*>(std::malloc(std::max<std::size_t>(capacity, 1)));
    }
    std::byte* memory = kept_[class_of(capacity)].back();
    kept_[class_of(capacity)].pop_back();
    kept_bytes_ -= capacity;
    return memory;
}

Buffers::Block Buffers::block(std::byte* memory, std::size_t bytes, bool seated) {
    return {std::shared_ptr<void>(memory, Release{this, bytes, seated}), {memory, bytes}};
}

Buffers::Block Buffers::make(std::size_t bytes) {
    std::byte* memory = allocate(bytes);
    sdk::ensure(memory != nullptr, "the memory budget is less than the memory there is");
    return block(memory, bytes, false);
}

void Buffers::recycle(std::byte* memory, std::size_t bytes) {
    const std::size_t capacity = capacity_for(bytes);
    if (is_kept(capacity) && kept_bytes_ + capacity <= most_kept) {
        kept_[class_of(capacity)].push_back(memory);
        kept_bytes_ += capacity;
    } else {
        std::free(memory);
    }
}

void Buffers::take_back(std::byte* memory, std::size_t bytes, bool seated) {
    recycle(memory, bytes);
    if (seated) return leave_seat();
    discharge(bytes);
}

void Buffers::wait(Waiter& waiter, Use use) {
    queue(use).push_back(&waiter);
    note_waiting();
}

void Buffers::stop_waiting(Waiter& waiter) {
    if (!anyone_waits()) return;
    for (auto& waiting : waiting_) std::erase(waiting, &waiter);
    note_waiting();
}

// Keeps what the budget knows and the timer in step with the queues.
void Buffers::note_waiting() {
    for (const Use use : {Use::small, Use::large}) {
        const bool waits = !queue(use).empty();
        if (waits == std::exchange(noted_[static_cast<std::size_t>(use)], waits)) continue;
        waits ? budget_.begin_wait(use) : budget_.end_wait(use);
    }
    if (!anyone_waits() || retry_ != sdk::TimerId::none) return;
    constexpr std::chrono::milliseconds while_others_draw{5};
    retry_ = loop_.after(while_others_draw, [this] {
        retry_ = sdk::TimerId::none;
        note_waiting();
        if (anyone_waits()) serve_soon();
    });
}

void Buffers::serve_soon() {
    if (std::exchange(serves_soon_, true)) return;
    loop_.at_turn_end(*this);
}

void Buffers::turn_ends() {
    serves_soon_ = false;
    serve(Use::small);
    serve(Use::large);
    note_waiting();
}

void Buffers::serve(Use use) {
    std::deque<Waiter*>& waiting = queue(use);
    for (int served = 0; served < most_served_per_turn && !waiting.empty(); ++served) {
        Waiter* first = waiting.front();
        waiting.pop_front();
        serving_ = true;
        const Waiter::Tried tried = first->try_again();
        serving_ = false;
        if (tried == Waiter::Tried::stuck) {
            waiting.push_front(first);
            return;
        }
    }
}

}  // namespace leat::net
