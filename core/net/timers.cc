#include "core/net/timers.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace leat::net {

bool Timers::later(const Entry& a, const Entry& b) {
    return std::tie(a.due, a.sequence) > std::tie(b.due, b.sequence);
}

bool Timers::alive(const Entry& entry) const {
    const Slot& slot = slots_[entry.slot];
    return slot.waiting && slot.generation == entry.generation;
}

sdk::TimerId Timers::add(sdk::Instant due, sdk::Task task) {
    if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const std::uint32_t index = free_slots_.back();
    free_slots_.pop_back();
    Slot& slot = slots_[index];
    slot.task = std::move(task);
    slot.waiting = true;
    ++waiting_;
    heap_.push_back({due, sequence_++, index, slot.generation});
    std::push_heap(heap_.begin(), heap_.end(), later);
    return sdk::TimerId{(std::uint64_t{slot.generation} << 32) | index};
}

void Timers::free_slot(std::uint32_t index) {
    Slot& slot = slots_[index];
    slot.waiting = false;
    if (++slot.generation == 0) slot.generation = 1;
    free_slots_.push_back(index);
    --waiting_;
}

void Timers::cancel(sdk::TimerId timer) {
    const auto number = static_cast<std::uint64_t>(timer);
    const auto index = static_cast<std::uint32_t>(number);
    if (number == 0 || index >= slots_.size()) return;
    Slot& slot = slots_[index];
    if (!slot.waiting || slot.generation != number >> 32) return;
    const sdk::Task forgotten = std::move(slot.task);  // Its destructor may add or cancel timers.
    free_slot(index);
    drop_cancelled();
}

void Timers::drop_cancelled() {
    constexpr std::size_t worth_it = 64;
    if (heap_.size() < worth_it || heap_.size() < 2 * waiting_) return;
    std::erase_if(heap_, [this](const Entry& entry) { return !alive(entry); });
    std::make_heap(heap_.begin(), heap_.end(), later);
}

void Timers::pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
}

std::optional<sdk::Instant> Timers::next_due() {
    while (!heap_.empty() && !alive(heap_.front())) pop();
    if (heap_.empty()) return std::nullopt;
    return heap_.front().due;
}

void Timers::run_due(sdk::Instant now) {
    // One at a time, so that a task can still cancel another one that is due as well; bounded by
    // the sequence, so that a timer of no delay that adds itself again does not hold the loop.
    const std::uint64_t before = sequence_;
    for (auto due = next_due(); due && *due <= now; due = next_due()) {
        const Entry entry = heap_.front();
        if (entry.sequence >= before) return;
        pop();
        sdk::Task task = std::move(slots_[entry.slot].task);
        free_slot(entry.slot);
        task();
    }
}

}  // namespace leat::net
