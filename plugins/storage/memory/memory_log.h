// The log of one partition in blocks of memory, and the budget that all of them share. What they
// promise is told in memory_engine.cc.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "leat/sdk/plugin_context.h"
#include "leat/sdk/storage.h"

namespace leat::memory {

using namespace sdk;

class MemoryLog;

// What all logs of an engine hold, slices that outlive their log included.
class Budget {
public:
    Budget(PluginContext& context, std::uint64_t limit) : context_{context}, limit_{limit} {}

    std::uint64_t limit() const { return limit_; }
    PluginContext& context() const { return context_; }
    std::atomic<std::uint64_t> used{0};

    std::uint64_t next_number() { return ++last_number_; }
    // Drops the oldest blocks of all logs until `bytes` more fit, or so many have been dropped.
    Status make_room(std::uint64_t bytes);
    // Whether so many fit without that.
    bool has_room(std::uint64_t bytes) const { return used + bytes <= limit_; }
    void add(std::uint64_t number, MemoryLog& log);
    void forget(std::span<const std::uint64_t> numbers);
    void forget(const MemoryLog& log);

private:
    PluginContext& context_;
    const std::uint64_t limit_;
    std::atomic<std::uint64_t> last_number_{0};
    std::mutex mutex_;  // Logs of all shards share the budget. Locked before any log's.
    std::map<std::uint64_t, MemoryLog*> blocks_;  // By number, so oldest first.
};

// Tells the budget of blocks that went, once their log's mutex is free again.
struct Forget {
    Budget& budget;
    const std::vector<std::uint64_t>& numbers;
    ~Forget() { budget.forget(numbers); }
};

struct Batch {
    Offset base;
    Offset next;
    Timestamp max_timestamp;
    std::size_t position;
    std::size_t size;
};

struct Block {
    Block(std::shared_ptr<Budget> from, std::size_t bytes)
        : budget{std::move(from)},
          number{budget->next_number()},
          capacity{bytes},
          data{new std::byte[bytes]} {
        budget->used += capacity;
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() { budget->used -= capacity; }

    std::size_t used() const {
        return batches.empty() ? 0 : batches.back().position + batches.back().size;
    }

    const std::shared_ptr<Budget> budget;
    // Above that of every block made before it, in any log; of a rewritten one, those of what it
    // replaces: it is as old as they were. Guarded by the log's mutex once it is in a log.
    std::uint64_t number;
    const std::size_t capacity;
    const std::unique_ptr<std::byte[]> data;
    std::vector<Batch> batches;  // Guarded by the log's mutex; the bytes need no guard.
};

class MemoryLog final : public Log, public RewritableLog {
public:
    static constexpr std::size_t smallest_block = 16 * 1024;
    static constexpr std::size_t largest_block = 1024 * 1024;
    static constexpr std::chrono::seconds time_between_lines{10};

    MemoryLog(std::shared_ptr<Budget> budget, std::string name)
        : budget_{std::move(budget)}, name_{std::move(name)} {}
    ~MemoryLog() override {
        budget_->forget(*this);
        say_dropped();
    }

    LogBounds bounds() const override {
        const std::lock_guard lock{mutex_};
        return {.begin = begin_, .end = end_, .flushed = flushed_};
    }

    std::vector<Extent> extents() const override {
        const std::lock_guard lock{mutex_};
        std::vector<Extent> extents;
        for (const auto& block : blocks_) {
            extents.push_back({.base = block->batches.front().base,
                               .next = block->batches.back().next,
                               .bytes = block->used(),
                               .max_timestamp = newest(*block)});
        }
        return extents;
    }

    Status append(std::span<const StampedBatch> batches) override {
        std::size_t bytes = 0;
        for (const auto& batch : batches) bytes += batch.bytes.size();
        if (batches.empty()) return {};
        // One call goes into one block, so that it is kept as a whole or not at all.
        if (const std::size_t wanted = block_wanted(bytes); wanted != 0) {
            if (auto room = budget_->make_room(wanted); !room) return room;
        }
        std::uint64_t begun = 0;
        {
            const std::lock_guard lock{mutex_};
            // Its last block may have been dropped since.
            if (!has_room_for(bytes)) begun = begin_block(bytes);
            Block& block = *blocks_.back();
            for (const auto& batch : batches) {
                const std::size_t at = block.used();
                std::memcpy(block.data.get() + at, batch.bytes.data(), batch.bytes.size());
                block.batches.push_back(
                    {batch.base, batch.next, batch.max_timestamp, at, batch.bytes.size()});
            }
            end_ = batches.back().next;
        }
        if (begun != 0) budget_->add(begun, *this);
        return {};
    }

    Result<ReadAnswer> read(Offset from, Offset below, std::size_t max_bytes) override {
        const std::lock_guard lock{mutex_};
        if (from < begin_ || from > end_) {
            return Error{Errc::out_of_range, "no such offset is held"};
        }
        ReadAnswer answer;
        std::size_t taken = 0;
        auto at = std::partition_point(blocks_.begin(), blocks_.end(), [&](const auto& block) {
            return block->batches.back().next <= from;
        });
        for (; at != blocks_.end(); ++at) {
            const auto& block = *at;
            const auto first =
                std::partition_point(block->batches.begin(), block->batches.end(),
                                     [&](const Batch& batch) { return batch.next <= from; });
            auto last = first;
            std::size_t size = 0;
            while (last != block->batches.end() && last->base < below &&
                   (taken + size == 0 || taken + size + last->size <= max_bytes)) {
                size += (last++)->size;
            }
            if (size != 0) {
                answer.slices.emplace_back(
                    MemorySlice{block, {block->data.get() + first->position, size}});
            }
            taken += size;
            if (last != block->batches.end()) break;
        }
        return answer;
    }

    std::optional<Offset> seek(Timestamp not_before) const override {
        const std::lock_guard lock{mutex_};
        for (const auto& block : blocks_) {
            for (const auto& batch : block->batches) {
                if (batch.next <= begin_ || batch.max_timestamp < not_before) continue;
                return std::max(batch.base, begin_);
            }
        }
        return std::nullopt;
    }

    // Nothing survives the process, so what is here is as safe as it will ever be.
    Status flush() override {
        const std::lock_guard lock{mutex_};
        flushed_ = end_;
        return {};
    }

    Status truncate(Offset end) override {
        std::vector<std::uint64_t> gone;
        const Forget after_the_lock{*budget_, gone};
        const std::lock_guard lock{mutex_};
        if (end >= end_) return {};
        while (!blocks_.empty()) {
            auto& batches = blocks_.back()->batches;
            while (!batches.empty() && batches.back().next > end) batches.pop_back();
            if (!batches.empty()) break;
            gone.push_back(blocks_.back()->number);
            blocks_.pop_back();
        }
        end_ = blocks_.empty() ? end : blocks_.back()->batches.back().next;
        if (blocks_.empty() || end_ < begin_) begin_ = end_;
        flushed_ = std::min(flushed_, end_);
        sealed_ = true;  // Readers may hold the bytes that followed.
        return {};
    }

    Status trim(Offset begin) override {
        std::vector<std::uint64_t> gone;
        const Forget after_the_lock{*budget_, gone};
        const std::lock_guard lock{mutex_};
        if (begin <= begin_) return {};
        while (!blocks_.empty() && blocks_.front()->batches.back().next <= begin) {
            gone.push_back(blocks_.front()->number);
            blocks_.pop_front();
        }
        if (blocks_.empty()) sealed_ = true;
        begin_ = begin;
        end_ = std::max(end_, begin);
        flushed_ = std::max(flushed_, begin);
        return {};
    }

    Status seal() override {
        const std::lock_guard lock{mutex_};
        sealed_ = true;
        return {};
    }

    // For the budget, on any shard: gives up its oldest block if it is this one. Its bytes.
    std::uint64_t drop(std::uint64_t number) {
        const std::lock_guard lock{mutex_};
        if (blocks_.empty() || blocks_.front()->number != number) return 0;
        const std::uint64_t bytes = blocks_.front()->capacity;
        begin_ = std::max(begin_, blocks_.front()->batches.back().next);
        flushed_ = std::max(flushed_, begin_);
        blocks_.pop_front();
        if (blocks_.empty()) sealed_ = true;
        ++dropped_blocks_;
        dropped_bytes_ += bytes;
        const Instant now = budget_->context().shard().now();
        if (!last_line_ || now - *last_line_ >= time_between_lines) {
            last_line_ = now;
            say_dropped();
        }
        return bytes;
    }

    RewritableLog* rewritable() override { return this; }
    Result<std::unique_ptr<Rewrite>> rewrite(Offset begin, Offset end) override;

private:
    class Rewriting;
    // The blocks that span [begin, end), without the last one of the log. Empty if none do.
    std::vector<std::shared_ptr<Block>> blocks_of(Offset begin, Offset end) const;
    // Puts others in their place. False if they are not there any more.
    bool replace(const std::vector<std::shared_ptr<Block>>& old,
                 std::vector<std::shared_ptr<Block>> made);

    bool has_room_for(std::size_t bytes) const {
        return !sealed_ && blocks_.back()->capacity - blocks_.back()->used() >= bytes;
    }
    // Bytes of the block that an append of so many begins; 0 if it begins none.
    std::size_t block_wanted(std::size_t bytes) const {
        const std::lock_guard lock{mutex_};
        return has_room_for(bytes) ? 0 : std::max(bytes, next_block_);
    }
    std::uint64_t begin_block(std::size_t bytes) {
        blocks_.push_back(std::make_shared<Block>(budget_, std::max(bytes, next_block_)));
        // Dropping one gives up an eighth of the budget at most, unless an append is larger.
        const std::size_t eighth = std::max<std::size_t>(budget_->limit() / 8, smallest_block);
        next_block_ = std::min({2 * next_block_, largest_block, eighth});
        sealed_ = false;
        return blocks_.back()->number;
    }
    void say_dropped() {
        if (dropped_blocks_ == 0) return;
        PluginContext& context = budget_->context();
        context.log(LogLevel::warn, "the oldest batches were dropped: the budget is spent",
                    {{"partition", name_},
                     {"begin", std::to_string(begin_.value)},
                     {"extents", std::to_string(dropped_blocks_)},
                     {"bytes", std::to_string(dropped_bytes_)}});
        context.counter("dropped_bytes").add(dropped_bytes_);
        dropped_blocks_ = dropped_bytes_ = 0;
    }
    static Timestamp newest(const Block& block) {
        Timestamp newest{-1};
        for (const auto& batch : block.batches) newest = std::max(newest, batch.max_timestamp);
        return newest;
    }

    const std::shared_ptr<Budget> budget_;
    const std::string name_;
    // truncate, trim and flush run beside reads, on a worker; other logs' appends drop blocks.
    mutable std::mutex mutex_;
    std::deque<std::shared_ptr<Block>> blocks_;  // None is empty. Shared with slices.
    std::size_t next_block_ = smallest_block;
    bool sealed_ = true;  // The next append begins a block.
    Offset begin_;
    Offset end_;
    Offset flushed_;
    std::uint64_t dropped_blocks_ = 0;  // Since the last line.
    std::uint64_t dropped_bytes_ = 0;
    std::optional<Instant> last_line_;
    std::atomic<bool> rewriting_{false};
};

}  // namespace leat::memory
