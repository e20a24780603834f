// How a partition of a keyed topic is compacted: chunk by chunk, the shard reads slices and a
// worker looks at them, so that neither is held for long. Only the swap of the new extents for the
// old ones runs alone, as a trim does.
//
// A pass ends early, and the next one begins anew, when what it looks at goes: by retention, with
// its topic, because the device is full. What it has swapped until then stays so. Batches that are
// no batches end it for good, until the broker restarts: the partition goes on uncompacted, as
// Kafka's does ("uncleanable").

#include <algorithm>

#include "core/broker/compaction_pass.h"
#include "core/broker/partition.h"
#include "core/broker/plugin_call.h"
#include "core/runtime/load_slices.h"
#include "core/runtime/offload.h"

namespace leat::broker {
namespace {

constexpr std::size_t chunk_bytes = 1024 * 1024;  // Of the log, at a time.

}  // namespace

// What may be compacted: synced, and never the extent that is being written.
log::CompactableLog Partition::compactable(std::span<const sdk::Extent> kept) const {
    return {.extents = kept,
            .begin = log_.begin(),
            .active = kept.empty() ? log_.begin() : kept.back().base,
            .stable = std::min(high_watermark_, flush_schedule_.durable()),
            .cleaned = cleaned_};
}

bool Partition::can_be_compacted() {
    if (state_ != State::open || compaction_ || compaction_once_synced_) return false;
    if (uncleanable_ || !setup_.compaction.compacts) return false;
    const auto able =
        counted(figures_.calls, setup_.engine_name, "rewritable",
                [this]() -> sdk::Result<bool> { return engine_log_->rewritable() != nullptr; });
    if (!able) go_offline("compact", able.error());
    if (able && !*able) give_up_compaction("its storage engine cannot rewrite");
    return able && *able;
}

void Partition::compact(sdk::Timestamp now, const CompactionTerms& terms,
                        sdk::Function<void(bool)> done) {
    if (!can_be_compacted()) return done(false);
    const auto kept = extents();
    if (!kept) return done(false);
    const log::CompactionRules& rules = setup_.compaction;
    log::CompactableLog log = compactable(*kept);
    const auto plan = plan_compaction(rules, log, now);
    const bool has_deadline = rules.max_lag_ms != INT64_MAX;
    if (!is_worth_it(plan, rules)) {
        // Where nobody else has it synced.
        log.stable = high_watermark_;
        const auto unsynced = plan_compaction(rules, log, now);
        if (unsynced.end > plan.end && (has_deadline || is_worth_it(unsynced, rules))) {
            return compact_once_synced(unsynced.end, now, terms, std::move(done));
        }
    }
    begin_compaction(plan, now, terms, std::move(done));
}

// What was appended meanwhile is for the next round, or a busy partition would never begin.
void Partition::compact_once_synced(sdk::Offset end, sdk::Timestamp now,
                                    const CompactionTerms& terms, sdk::Function<void(bool)> done) {
    sdk::Task then = [this, now, terms, done = std::move(done)]() mutable {
        if (!can_be_compacted()) return done(false);
        const auto kept = extents();
        if (!kept) return done(false);
        const auto plan = plan_compaction(setup_.compaction, compactable(*kept), now);
        begin_compaction(plan, now, terms, std::move(done));
    };
    compaction_once_synced_ = OnceSynced{end, std::move(then)};
    flush_schedule_.owe(end);
    consider_flush();
}

// It has been synced as far as the compaction waits for it, or never will be.
void Partition::compact_what_is_synced() {
    if (!compaction_once_synced_) return;
    const bool synced = flush_schedule_.durable() >= compaction_once_synced_->end;
    if (state_ == State::open && !synced) return;
    std::exchange(compaction_once_synced_, std::nullopt)->then();
}

void Partition::begin_compaction(const log::CompactionPlan& plan, sdk::Timestamp now,
                                 const CompactionTerms& terms, sdk::Function<void(bool)> done) {
    const log::CompactionRules& rules = setup_.compaction;
    const bool worth_it = is_worth_it(plan, rules);
    const bool has_deadline = rules.max_lag_ms != INT64_MAX;
    if (plan.end <= plan.first_dirty || (!worth_it && !has_deadline)) return done(false);
    std::vector<sdk::Offset> last;
    for (const log::ProducerEntry& producer : log_.producers().entries()) {
        if (const auto* newest = producer.newest()) last.push_back(newest->last_offset);
    }
    compaction_ =
        std::make_shared<CompactionPass>(terms,
                                         CompactionPass::Scope{.rules = rules,
                                                               .plan = plan,
                                                               .now = now,
                                                               .began = shard_.now(),
                                                               .producers_last = std::move(last)},
                                         std::move(done));
    work_began();  // Until end_compaction().
    if (worth_it) return read_to_compact();
    look_if_overdue();
}

// max.compaction.lag.ms counts from the first batch that is dirty.
void Partition::look_if_overdue() {
    load_chunk(
        1,
        [](CompactionPass& pass) -> sdk::Result<bool> {
            if (pass.bytes.size() < wire::batch_header_bytes) return false;
            const wire::BatchView batch{pass.bytes};
            const auto& scope = pass.scope();
            const auto first =
                batch.has_delete_horizon() ? batch.max_timestamp() : batch.base_timestamp();
            return is_overdue(first, scope.rules, scope.now);
        },
        [this](bool overdue) { overdue ? read_to_compact() : end_compaction(false); });
}

// Reads from where the pass is and has a worker look; `then` hears what it says.
void Partition::load_chunk(std::size_t bytes,
                           sdk::Function<sdk::Result<bool>(CompactionPass&)> look,
                           sdk::Function<void(bool)> then) {
    if (!goes_on()) return end_compaction(false);
    compaction_->begin_at(log_.begin());
    if (compaction_->next() >= compaction_->below()) return end_compaction(false);  // Trimmed.
    auto answer = counted(figures_.calls, setup_.engine_name, "read", [&] {
        return engine_log_->read(compaction_->next(), compaction_->below(), bytes);
    });
    if (!answer) {
        const bool dropped = answer.error().code == sdk::Errc::out_of_range && follow_beginning();
        if (!dropped) go_offline("read", answer.error());
        return end_compaction(false);
    }
    const bool bringing = static_cast<bool>(answer->bring_in);
    runtime::offload(
        shard_,
        [engine = setup_.engine_name, pass = compaction_, answer = std::move(*answer),
         look = std::move(look)]() mutable -> sdk::Result<Looked> {
            if (answer.bring_in) {
                if (auto status = brought_in(engine, answer.bring_in); !status) {
                    return status.error();
                }
                return Looked{.look = std::move(look)};
            }
            if (auto loaded = runtime::load(answer.slices, pass->bytes); !loaded) {
                return loaded.error();
            }
            auto said = contained(engine, "compaction", [&] { return look(*pass); });
            if (!said) return said.error();
            return Looked{.said = *said};
        },
        [this, bytes, bringing, then = std::move(then)](sdk::Result<Looked> looked) mutable {
            if (!looked) return compaction_failed(looked.error());
            if (bringing) return load_chunk(bytes, std::move(looked->look), std::move(then));
            then(looked->said);
        });
}

bool Partition::goes_on() const {
    return state_ == State::open && setup_.compaction.compacts && !uncleanable_;
}

// After a pause, if the terms ask for one.
void Partition::read_to_compact() {
    const sdk::Instant pause = compaction_->pause(shard_.now());
    if (pause > sdk::Instant{0} && goes_on()) {
        compaction_->timer = shard_.after(pause, [this] {
            compaction_->timer = sdk::TimerId::none;
            read_to_compact();
        });
        return;
    }
    if (compaction_->is_mapping()) {
        return load_chunk(
            chunk_bytes, [](CompactionPass& pass) { return pass.map(); },
            [this](bool more) { more ? read_to_compact() : begin_rewriting(); });
    }
    load_chunk(
        chunk_bytes,
        [](CompactionPass& pass) -> sdk::Result<bool> {
            if (auto written = pass.rewrite(); !written) return written.error();
            return pass.group_is_read();
        },
        [this](bool group_is_read) {
            if (compaction_->must_not_join()) return rewrite_one_by_one();
            group_is_read ? finish_group() : read_to_compact();
        });
}

void Partition::hurry_compaction() {
    compact_what_is_synced();
    if (!compaction_ || compaction_->timer == sdk::TimerId::none) return;
    shard_.cancel(std::exchange(compaction_->timer, sdk::TimerId::none));
    read_to_compact();
}

void Partition::begin_rewriting() {
    if (!goes_on() || !compaction_->mapped_anything()) return end_compaction(false);
    const auto kept = extents();
    if (!kept) return end_compaction(false);
    compaction_->begin_rewriting(compactable(*kept));
    begin_group();
}

void Partition::rewrite_one_by_one() {
    const auto kept = extents();
    if (!kept) return end_compaction(false);
    compaction_->rewrite_one_by_one(compactable(*kept));
    with_rewrite(
        [](CompactionPass& pass) -> sdk::Status {
            pass.made.reset();
            return {};
        },
        [this] { begin_group(); });
}

// [shard] `work` on a worker, `then` on the shard if it went well.
void Partition::with_rewrite(sdk::Function<sdk::Status(CompactionPass&)> work, sdk::Task then) {
    runtime::offload(
        shard_,
        [engine = setup_.engine_name, pass = compaction_, work = std::move(work)]() mutable {
            return contained(engine, "rewrite", [&] { return work(*pass); });
        },
        [this, then = std::move(then)](const sdk::Status& status) mutable {
            figures_.calls.made(status.has_value());
            status ? then() : compaction_failed(status.error());
        });
}

void Partition::begin_group() {
    if (!goes_on()) return end_compaction(false);
    const log::ExtentGroup* group = compaction_->group();
    if (group == nullptr) return note_cleaned();
    with_rewrite(
        [log = engine_log_.get(), group = *group](CompactionPass& pass) -> sdk::Status {
            auto made = log->rewritable()->rewrite(group.begin, group.end);
            if (!made) return made.error();
            pass.made = std::move(*made);
            return {};
        },
        [this] { read_to_compact(); });
}

void Partition::finish_group() {
    if (!goes_on()) return end_compaction(false);
    const bool changed = compaction_->group_is_changed();
    with_rewrite(
        [changed](CompactionPass& pass) -> sdk::Status {
            if (changed) return pass.made->flush();
            pass.made.reset();
            return {};
        },
        [this, changed] {
            if (!changed) return group_is_done();
            want_alone([pass = compaction_] { return pass->made->commit(); },
                       [this](const sdk::Status& status) { swapped(status); });
        });
}

void Partition::swapped(const sdk::Status& status) {
    using sdk::Errc;
    if (!status && status.error().code != Errc::conflict && status.error().code != Errc::closed) {
        go_offline("compact", status.error());
    }
    if (!status) return end_compaction(false);
    with_rewrite(
        [](CompactionPass& pass) -> sdk::Status {
            pass.made.reset();
            return {};
        },
        [this] { group_is_done(); });
}

void Partition::group_is_done() {
    compaction_->next_group();
    begin_group();
}

// Durably behind what it tells of. Without it the next run looks at more than it has to.
void Partition::note_cleaned() {
    want_alone(
        [engine = setup_.engine_name, log = engine_log_.get(),
         file = log::encode_cleaner_checkpoint(compaction_->mapped())]() -> sdk::Status {
            sdk::SideFiles* files = log->side_files();
            if (files == nullptr) return {};
            return files->write(log::cleaner_checkpoint_name, file);
        },
        [this](const sdk::Status& status) {
            if (!status) return compaction_failed(status.error());
            cleaned_ = compaction_->mapped();
            ++figures_.compaction.passes;
            const CompactionCount& count = compaction_->count;
            logger_.log(logging::Level::info, "log compacted",
                        {{"topic", setup_.id.topic},
                         {"partition", std::to_string(setup_.id.index)},
                         {"up_to", std::to_string(cleaned_.value)},
                         {"bytes_read", std::to_string(count.read)},
                         {"bytes_written", std::to_string(count.written)},
                         {"records_dropped", std::to_string(count.dropped)}});
            end_compaction(compaction_->map_was_full());
        });
}

void Partition::compaction_failed(const sdk::Error& error) {
    using sdk::Errc;
    const bool passing = error.code == Errc::conflict || error.code == Errc::closed ||
                         error.code == Errc::no_space || error.code == Errc::unavailable ||
                         error.code == Errc::limit;
    if (!passing) give_up_compaction(error.what);
    if (error.code == Errc::no_space || error.code == Errc::limit) {
        logger_.log(logging::Level::warn, "a compaction ended early",
                    {{"topic", setup_.id.topic},
                     {"partition", std::to_string(setup_.id.index)},
                     {"reason", error.what}});
    }
    end_compaction(false);
}

void Partition::give_up_compaction(const std::string& reason) {
    uncleanable_ = true;
    ++figures_.compaction.given_up;
    logger_.log(logging::Level::error, "a log is not compacted any more",
                {{"topic", setup_.id.topic},
                 {"partition", std::to_string(setup_.id.index)},
                 {"storage", setup_.engine_name},
                 {"reason", reason}});
}

// What is left of the pass goes on a worker, and before the log.
void Partition::end_compaction(bool again) {
    figures_.compaction.add(compaction_->count);
    runtime::offload(
        shard_,
        [pass = compaction_] {
            pass->made.reset();
            return true;
        },
        [this, again](bool) {
            auto done = std::move(compaction_->done);
            compaction_.reset();
            done(again && state_ == State::open);
            work_ended();
        });
}

}  // namespace leat::broker
