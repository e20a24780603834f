#include "core/net/buffers.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

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

    void operator()(void* memory) const {
        auto* bytes = static_cast<std::byte*>(memory);
        if (home->loop_.is_here()) {
            home->take_back(bytes, size);
        } else {
            // Even a task that is dropped unrun brings the block home.
            home->loop_.post([block = std::shared_ptr<void>(memory, *this)] {});
        }
    }
};

Buffers::~Buffers() {
    for (const auto& blocks : kept_) {
        for (std::byte* block : blocks) std::free(block);
    }
}

void Buffers::discharge(std::uint64_t bytes) {
    lease_.give_back(bytes);
    if (!waiting_.empty()) wake_waiting();
}

Buffers::Block Buffers::make(std::size_t bytes) {
    const std::size_t capacity = capacity_for(bytes);
    std::byte* memory = nullptr;
    if (is_kept(capacity) && !kept_[class_of(capacity)].empty()) {
        memory = kept_[class_of(capacity)].back();
        kept_[class_of(capacity)].pop_back();
        kept_bytes_ -= capacity;
    } else {
        memory = static_cast<std::byte*>(std::malloc(std::max<std::size_t>(capacity, 1)));
        sdk::ensure(memory != nullptr, "the memory budget is less than the memory there is");
    }
    return {std::shared_ptr<void>(memory, Release{this, bytes}), {memory, bytes}};
}

void Buffers::take_back(std::byte* memory, std::size_t size) {
    const std::size_t capacity = capacity_for(size);
    if (is_kept(capacity) && kept_bytes_ + capacity <= most_kept) {
        kept_[class_of(capacity)].push_back(memory);
        kept_bytes_ += capacity;
    } else {
        std::free(memory);
    }
    discharge(size);
}

void Buffers::wait(Watcher& watcher) {
    waiting_.push_back(&watcher);
    if (retry_ != sdk::TimerId::none) return;
    constexpr std::chrono::milliseconds while_others_draw{5};
    retry_ = loop_.after(while_others_draw, [this] {
        retry_ = sdk::TimerId::none;
        wake_waiting();
    });
}

void Buffers::stop_waiting(Watcher& watcher) { std::erase(waiting_, &watcher); }

void Buffers::wake_waiting() {
    for (Watcher* watcher : waiting_) loop_.at_turn_end(*watcher);
    waiting_.clear();
}

}  // namespace leat::net
