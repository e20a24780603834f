// One pass of compaction over one partition's log: what it knows from one chunk of the log to the
// next, and what a worker does with each. Which chunk comes next, and what runs where, is
// partition_compaction.cc.
//
// Threads    Made on the shard; map() and rewrite() run on a worker, the rest on the shard. Never
//            two at a time: the shard waits for the worker.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/broker/shard_figures.h"
#include "core/log/compaction.h"
#include "leat/sdk/function.h"
#include "leat/sdk/shard.h"
#include "leat/sdk/storage.h"

namespace leat::broker {

// What the operator grants, of one shard.
struct CompactionTerms {
    std::size_t map_bytes = 0;
    std::uint64_t bytes_per_second = 0;  // Read and written together; 0: as fast as it goes.
    log::Secret secret{};
};

class CompactionPass {
public:
    struct Scope {
        log::CompactionRules rules;
        log::CompactionPlan plan;
        sdk::Timestamp now;
        sdk::Instant began;
        std::vector<sdk::Offset> producers_last;
    };
    // `done` hears, when it has ended, whether to begin again: the map was full.
    CompactionPass(const CompactionTerms& terms, Scope scope, sdk::Function<void(bool)> done);

    // [worker] The chunk in `bytes`, which begins at or before next(). False when it is enough.
    sdk::Result<bool> map();
    // All is mapped that goes into the map: what is rewritten follows.
    void begin_rewriting(const log::CompactableLog& log);
    bool mapped_anything() const { return mapped_ > scope_.plan.first_dirty; }
    sdk::Offset mapped() const { return mapped_; }
    bool map_was_full() const { return map_full_; }

    // The group under way; null when there are no more.
    const log::ExtentGroup* group() const {
        return group_ < groups_.size() ? &groups_[group_] : nullptr;
    }
    void next_group();
    bool group_is_read() const { return next_ >= groups_[group_].end; }
    // A single extent of which nothing went is left as it is.
    bool group_is_changed() const { return changed_ || groups_[group_].extents > 1; }

    // [worker] The chunk in `bytes` into `made`.
    sdk::Status rewrite();
    // True once it has found batches of a transaction in joined extents: Kafka's index of aborted
    // ones has the name of its segment, so these are to be rewritten one by one.
    bool must_not_join() const { return must_not_join_; }
    void rewrite_one_by_one(const log::CompactableLog& log);

    sdk::Offset next() const { return next_; }
    void begin_at(sdk::Offset begin) { next_ = std::max(next_, begin); }
    sdk::Offset below() const { return groups_.empty() ? scope_.plan.end : groups_[group_].end; }
    bool is_mapping() const { return !compactor_; }

    // How long to wait before the next chunk, to keep to the terms.
    sdk::Instant pause(sdk::Instant now) const;

    const Scope& scope() const { return scope_; }
    CompactionCount count{};
    std::vector<std::byte> bytes;             // The chunk.
    std::unique_ptr<sdk::Rewrite> made;       // Of the group under way. Destroyed on a worker.
    sdk::TimerId timer = sdk::TimerId::none;  // Of a pause.
    sdk::Function<void(bool)> done;

private:
    const CompactionTerms terms_;
    const Scope scope_;
    log::KeyMap map_;
    std::optional<log::BatchCompactor> compactor_;
    sdk::Offset next_;
    sdk::Offset mapped_;
    bool map_full_ = false;
    std::vector<log::ExtentGroup> groups_;
    std::size_t group_ = 0;
    bool changed_ = false;
    bool must_not_join_ = false;
};

}  // namespace leat::broker
