#include "core/log/producer_state.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::log {

namespace {

using wire::BatchView;
using wire::ErrorCode;

bool follows(std::int32_t last, std::int32_t next) {
    if (last == std::numeric_limits<std::int32_t>::max()) return next == 0;
    return next == last + 1;
}

AppendError out_of_order(const BatchView& batch, std::string_view expected) {
    return {ErrorCode::out_of_order_sequence_number,
            "producer " + std::to_string(batch.producer_id()) + " sent sequence " +
                std::to_string(batch.base_sequence()) + ", expected " + std::string{expected}};
}

}  // namespace

void ProducerEntry::push(const ProducerBatch& batch) {
    if (size == window) {
        std::move(batches.begin() + 1, batches.end(), batches.begin());
        --size;
    }
    batches[size++] = batch;
    begins_at = -1;
}

std::variant<InSequence, DuplicateBatch, AppendError> ProducerState::check(
    const BatchView& batch) const {
    if (!batch.has_producer()) return InSequence{};
    const ProducerEntry* entry = find(batch.producer_id());
    if (entry == nullptr) return InSequence{};
    const std::int32_t first = batch.base_sequence();
    if (batch.producer_epoch() < entry->epoch)
        return AppendError{ErrorCode::invalid_producer_epoch,
                           "producer " + std::to_string(entry->id) + " is at epoch " +
                               std::to_string(entry->epoch) + ", the batch has " +
                               std::to_string(batch.producer_epoch())};
    if (batch.producer_epoch() > entry->epoch) {
        if (first == 0 || entry->epoch == wire::no_producer_epoch) return InSequence{};
        return out_of_order(batch, "0 with a new epoch");
    }
    for (std::size_t i = 0; i < entry->size; ++i) {
        const ProducerBatch& known = entry->batches[i];
        if (known.base_sequence == first && known.last_sequence == batch.last_sequence())
            return DuplicateBatch{known};
    }
    if (entry->begins_at >= 0) {
        if (first <= entry->begins_at) return InSequence{};
        return out_of_order(batch, "first what was refused, " + std::to_string(entry->begins_at));
    }
    const std::int32_t last = entry->size == 0 ? wire::no_sequence : entry->newest()->last_sequence;
    if (entry->epoch == wire::no_producer_epoch || follows(last, first)) return InSequence{};
    return out_of_order(batch, "what follows " + std::to_string(last));
}

void ProducerState::add(const BatchView& batch, Timestamp wall) {
    ++added_;
    if (!batch.has_producer()) return;
    const ProducerEntry* known = find(batch.producer_id());
    Undo undo{batch.producer_id(), std::nullopt};
    if (known != nullptr) undo.before = *known;
    undo_.emplace_back(added_, std::move(undo));

    ProducerEntry& entry = touch(batch.producer_id(), wall);
    if (batch.producer_epoch() != entry.epoch) {
        entry.epoch = batch.producer_epoch();
        entry.size = 0;
        entry.begins_at = -1;
    }
    if (batch.control()) {  // A marker: it has no sequence and ends the transaction.
        entry.transaction_start = {-1};
        return;
    }
    if (batch.transactional() && entry.transaction_start.value < 0)
        entry.transaction_start = batch.base_offset();
    entry.push({.base_sequence = batch.base_sequence(),
                .last_sequence = batch.last_sequence(),
                .last_offset = batch.last_offset(),
                .offset_delta = batch.last_offset_delta(),
                .timestamp = batch.max_timestamp()});
}

void ProducerState::commit(std::size_t steps) {
    sdk::ensure(steps <= uncommitted(), "no more is committed than was added");
    committed_ += steps;
    const auto open = std::find_if(undo_.begin(), undo_.end(),
                                   [this](const auto& step) { return step.first > committed_; });
    undo_.erase(undo_.begin(), open);
    if (uncommitted() == 0) enforce_limit();
}

void ProducerState::roll_back() {
    for (; !undo_.empty(); undo_.pop_back()) {
        const Undo& step = undo_.back().second;
        if (step.before) {
            *by_id_.at(step.id) = *step.before;
        } else {
            take_back_first(step.id);
        }
    }
    added_ = committed_;
    enforce_limit();
}

void ProducerState::take_back_first(std::int64_t id) {
    ProducerEntry& entry = *by_id_.at(id);
    if (entry.size == 0) return forget(id);  // A marker.
    entry.begins_at = entry.newest()->base_sequence;
    entry.size = 0;
    entry.transaction_start = {-1};
}

void ProducerState::truncate(Offset end) {
    sdk::ensure(uncommitted() == 0, "a log is truncated when nothing is on its way");
    for (auto at = entries_.begin(); at != entries_.end();) {
        ProducerEntry& entry = *at++;
        while (entry.size > 0 && entry.newest()->last_offset >= end) --entry.size;
        if (entry.transaction_start >= end) entry.transaction_start = {-1};
        if (entry.size == 0) forget(entry.id);
    }
}

void ProducerState::clear() {
    undo_.clear();
    added_ = committed_;
    by_id_.clear();
    entries_.clear();
}

void ProducerState::expire(Timestamp now) {
    if (uncommitted() != 0) return;  // Never under a batch that may yet be rolled back.
    for (auto at = entries_.begin(); at != entries_.end();) {
        const ProducerEntry& entry = *at++;
        if (now.value - entry.last_seen.value < limits_.expiration_ms) return;
        if (entry.transaction_start.value < 0) forget(entry.id);
    }
}

void ProducerState::resume(Timestamp now) {
    const auto oldest = std::max<std::int64_t>(limits_.expiration_ms - grace_ms, 0);
    for (ProducerEntry& entry : entries_) {
        entry.last_seen.value = std::clamp(entry.last_seen.value, now.value - oldest, now.value);
    }
}

const ProducerEntry* ProducerState::find(std::int64_t id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &*found->second;
}

std::vector<ProducerEntry> ProducerState::entries() const {
    std::vector<ProducerEntry> all(entries_.begin(), entries_.end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return all;
}

std::vector<ProducerEntry> ProducerState::entries_to_keep() const {
    auto all = entries();
    std::erase_if(all, [](const ProducerEntry& entry) { return entry.begins_at >= 0; });
    return all;
}

std::int64_t ProducerState::highest_id() const {
    std::int64_t highest = wire::no_producer_id;
    for (const ProducerEntry& entry : entries_) highest = std::max(highest, entry.id);
    return highest;
}

ProducerEntry& ProducerState::touch(std::int64_t id, Timestamp wall) {
    const auto [found, made] = by_id_.try_emplace(id);
    if (made) {
        entries_.push_back({.id = id});
        found->second = std::prev(entries_.end());
    } else {
        entries_.splice(entries_.end(), entries_, found->second);
    }
    found->second->last_seen = wall;
    return *found->second;
}

void ProducerState::forget(std::int64_t id) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return;
    entries_.erase(found->second);
    by_id_.erase(found);
}

void ProducerState::enforce_limit() {
    while (entries_.size() > limits_.max_producers) {
        auto victim = std::find_if(entries_.begin(), entries_.end(), [](const auto& entry) {
            return entry.transaction_start.value < 0;
        });
        if (victim == entries_.end()) victim = entries_.begin();
        forget(std::int64_t{victim->id});
        ++evicted_;
    }
}

void ProducerState::replace(std::vector<ProducerEntry> all) {
    clear();
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.last_seen < b.last_seen; });
    for (auto& entry : all) {
        const auto [found, made] = by_id_.try_emplace(entry.id);
        if (!made) continue;
        entries_.push_back(entry);
        found->second = std::prev(entries_.end());
    }
    enforce_limit();
}

}  // namespace leat::log
