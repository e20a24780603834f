// The smallest complete storage engine: batches in blocks of memory, gone with the process. Start
// from a copy of it when you write your own, and run the conformance kit over it from day one.
//
// A log is a deque of blocks, and a block is an extent: it has a fixed buffer, so batches never
// move, and readers share its ownership, so a slice outlives trim and remove. Bytes once written
// are never written again: after a truncation the next batch goes to a new block.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>

#include "leat/sdk/plugin.h"

namespace leat::memory {
namespace {

using namespace sdk;

// What all logs of an engine hold, slices that outlive their log included.
struct Budget {
    std::uint64_t limit = 0;  // 0: none.
    std::atomic<std::uint64_t> used{0};
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
        : budget{std::move(from)}, capacity{bytes}, data{new std::byte[bytes]} {
        budget->used += capacity;
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() { budget->used -= capacity; }

    std::size_t used() const {
        return batches.empty() ? 0 : batches.back().position + batches.back().size;
    }

    const std::shared_ptr<Budget> budget;
    const std::size_t capacity;
    const std::unique_ptr<std::byte[]> data;
    std::vector<Batch> batches;  // Guarded by the log's mutex; the bytes need no guard.
};

class MemoryLog final : public Log {
public:
    static constexpr std::size_t smallest_block = 16 * 1024;
    static constexpr std::size_t largest_block = 1024 * 1024;

    explicit MemoryLog(std::shared_ptr<Budget> budget) : budget_{std::move(budget)} {}

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
        const std::lock_guard lock{mutex_};
        std::size_t bytes = 0;
        for (const auto& batch : batches) bytes += batch.bytes.size();
        if (batches.empty()) return {};

        if (sealed_ || blocks_.back()->capacity - blocks_.back()->used() < bytes) {
            // One call goes into one block, so that it is kept as a whole or not at all.
            const std::size_t wanted = std::max(bytes, next_block_);
            if (budget_->limit != 0 && budget_->used + wanted > budget_->limit) {
                return Error{Errc::no_space, "the memory budget of this storage is used up"};
            }
            blocks_.push_back(std::make_shared<Block>(budget_, wanted));
            next_block_ = std::min(2 * next_block_, largest_block);
            sealed_ = false;
        }
        Block& block = *blocks_.back();
        for (const auto& batch : batches) {
            const std::size_t at = block.used();
            std::memcpy(block.data.get() + at, batch.bytes.data(), batch.bytes.size());
            block.batches.push_back(
                {batch.base, batch.next, batch.max_timestamp, at, batch.bytes.size()});
        }
        end_ = batches.back().next;
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
        const std::lock_guard lock{mutex_};
        if (end >= end_) return {};
        while (!blocks_.empty()) {
            auto& batches = blocks_.back()->batches;
            while (!batches.empty() && batches.back().next > end) batches.pop_back();
            if (!batches.empty()) break;
            blocks_.pop_back();
        }
        end_ = blocks_.empty() ? end : blocks_.back()->batches.back().next;
        if (blocks_.empty() || end_ < begin_) begin_ = end_;
        flushed_ = std::min(flushed_, end_);
        sealed_ = true;  // Readers may hold the bytes that followed.
        return {};
    }

    Status trim(Offset begin) override {
        const std::lock_guard lock{mutex_};
        if (begin <= begin_) return {};
        while (!blocks_.empty() && blocks_.front()->batches.back().next <= begin) {
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

private:
    static Timestamp newest(const Block& block) {
        Timestamp newest{-1};
        for (const auto& batch : block.batches) newest = std::max(newest, batch.max_timestamp);
        return newest;
    }

    const std::shared_ptr<Budget> budget_;
    mutable std::mutex mutex_;  // truncate, trim and flush run beside reads, on a worker.
    std::deque<std::shared_ptr<Block>> blocks_;  // None is empty. Shared with slices.
    std::size_t next_block_ = smallest_block;
    bool sealed_ = true;  // The next append begins a block.
    Offset begin_;
    Offset end_;
    Offset flushed_;
};

class MemoryEngine final : public StorageEngine {
public:
    explicit MemoryEngine(std::uint64_t limit) : budget_{std::make_shared<Budget>()} {
        budget_->limit = limit;
    }

    Result<std::unique_ptr<Log>> open(const PartitionId&, const LogOptions&) override {
        return std::unique_ptr<Log>{std::make_unique<MemoryLog>(budget_)};
    }
    Status remove(const PartitionId&) override { return {}; }  // It went with its log.
    Result<std::vector<PartitionId>> partitions() override { return std::vector<PartitionId>{}; }
    Status closed_cleanly() override { return {}; }

private:
    const std::shared_ptr<Budget> budget_;
};

}  // namespace
}  // namespace leat::memory

LEAT_PLUGIN("memory", "1.0.0", [](leat::sdk::Registrar& host) {
    host.storage_engine(
        {.name = "memory",
         .description = "Keeps batches in memory, for tests and small boxes; a restart loses them.",
         .options = {},
         .capabilities = {.durable = false, .truncatable = true, .side_files = false},
         .make = [](leat::sdk::PluginContext& context, const leat::sdk::Settings&)
             -> leat::sdk::Result<std::unique_ptr<leat::sdk::StorageEngine>> {
             return std::unique_ptr<leat::sdk::StorageEngine>{
                 std::make_unique<leat::memory::MemoryEngine>(context.memory_budget())};
         }});
});
