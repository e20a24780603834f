#include "core/broker/partition.h"

#include <algorithm>

#include "core/broker/plugin_call.h"
#include "core/runtime/offload.h"

namespace leat::broker {

using wire::ErrorCode;

namespace {

// Keeps the memory for the next turn, unless a burst has left a lot of it.
template <class T>
void forget_all(std::vector<T>& items) {
    constexpr std::size_t worth_keeping = 256;
    items.clear();
    if (items.capacity() > worth_keeping) items = std::vector<T>{};
}

}  // namespace

void Partition::append(AppendRequest request, sdk::Function<void(AppendOutcome)> done) {
    switch (state_) {
        case State::open:
            return append_now(std::move(request), std::move(done));
        case State::opening:
            until_opened_.push_back(
                [this, request = std::move(request), done = std::move(done)]() mutable {
                    append(std::move(request), std::move(done));
                });
            return;
        case State::offline:
            return done({.error = why_not_open(), .message = "the partition's log is offline"});
        case State::closing:
        case State::closed:
            return done({.error = why_not_open()});
    }
}

ErrorCode Partition::why_not_open() const {
    return state_ == State::offline ? ErrorCode::kafka_storage_error
                                    : ErrorCode::not_leader_or_follower;
}

void Partition::append_now(AppendRequest request, sdk::Function<void(AppendOutcome)> done) {
    if (request.wait_for_commit) {
        const auto decision = counted(policy_calls_, setup_.policy_name, "before_append",
                                      [this]() -> sdk::Result<sdk::AckDecision> {
                                          return setup_.policy->before_append(view_);
                                      });
        if (!decision) {
            go_offline("append", decision.error());
            return done({.error = why_not_open(), .message = decision.error().what});
        }
        if (*decision == sdk::AckDecision::not_enough_replicas) {
            return done({.error = ErrorCode::not_enough_replicas});
        }
    }
    log::BatchRules rules = setup_.rules;
    rules.zstd = request.zstd;
    // Costs a look at the quietest producer; who never appends again is forgotten with the rest.
    log_.let_producers_age(producers_clock());
    auto decided = log_.prepare(request.records, rules, shard_.wall_clock());
    if (auto* error = std::get_if<log::AppendError>(&decided)) {
        return done({.error = error->code,
                     .log_start = log_.begin(),
                     .record_errors = std::move(error->record_errors),
                     .message = std::move(error->message)});
    }
    Pending pending{.owner = std::move(request.owner),
                    .wait_for_commit = request.wait_for_commit,
                    .acknowledged = request.acknowledged,
                    .done = std::move(done)};
    pending.outcome.log_start = log_.begin();
    if (auto* prepared = std::get_if<log::Prepared>(&decided)) {
        pending.batch = prepared->batch;
        pending.seal_first = std::move(prepared->seal_first);
        pending.end = prepared->batch.next;
        pending.outcome.base = prepared->batch.base;
        pending.outcome.append_time = prepared->append_time;
    } else {
        const auto& duplicate = std::get<log::Duplicate>(decided);
        pending.end = duplicate.last + 1;
        pending.outcome.base = duplicate.base;
        pending.outcome.append_time = duplicate.append_time;
    }
    pending_.push_back(std::move(pending));
    post_turn_end();
}

// Everything that reaches the partition in this turn of the loop goes into one write.
void Partition::post_turn_end() {
    if (turn_end_posted_) return;
    turn_end_posted_ = true;
    work_began();
    shard_.post([this] {
        turn_end_posted_ = false;
        if (state_ == State::open && !trimming_) {
            write_pending();
            consider_trim();
        }
        work_ended();
    });
}

void Partition::write_pending() {
    std::size_t first = 0;  // Those before it are in the log.
    sdk::Status status;
    for (std::size_t i = 0; i < pending_.size() && status; ++i) {
        if (!pending_[i].seal_first) continue;
        status = write(first, i);
        if (!status) break;
        first = i;
        status = seal(std::move(*pending_[i].seal_first));
    }
    if (status) status = write(first, pending_.size());
    if (status) first = pending_.size();

    // Whoever is answered may append again at once: what failed is undone before that.
    auto pending = std::exchange(pending_, std::exchange(spare_, {}));
    if (!status) log_.append_failed();
    if (first > 0) fetch_waiters_.tell_elsewhere();
    for (std::size_t i = 0; i < first; ++i) written(pending[i]);
    update_high_watermark();
    consider_flush();
    for (std::size_t i = first; i < pending.size(); ++i) {
        pending[i].done({.error = ErrorCode::kafka_storage_error, .message = status.error().what});
    }
    forget_all(pending);
    spare_ = std::move(pending);
    if (status) return;
    if (status.error().code != sdk::Errc::no_space) return go_offline("append", status.error());
    logger_.log(logging::Level::error, "append refused: the device is full",
                {{"topic", setup_.id.topic},
                 {"partition", std::to_string(setup_.id.index)},
                 {"reason", status.error().what}});
}

sdk::Status Partition::write(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
        if (pending_[i].batch) batches_.push_back(*pending_[i].batch);
    }
    if (batches_.empty()) return {};
    const std::size_t count = batches_.size();
    const sdk::Instant began = shard_.now();
    auto status = counted(figures_.calls, setup_.engine_name, "append",
                          [this] { return engine_log_->append(batches_); });
    const sdk::Instant ended = shard_.now();
    figures_.calls.took(ended - began);
    forget_all(batches_);
    if (!status) return status;
    const auto bounds = engine_bounds();
    if (!bounds) return bounds.error();
    log_.appended(count);
    flush_schedule_.appended(log_.end(), ended);
    begin_at(bounds->begin);
    return {};
}

sdk::Result<sdk::LogBounds> Partition::engine_bounds() {
    return counted(figures_.calls, setup_.engine_name, "bounds",
                   [this]() -> sdk::Result<sdk::LogBounds> { return engine_log_->bounds(); });
}

// An engine with a budget drops its oldest extents by itself, for the sake of any partition. False
// if it cannot be asked.
bool Partition::follow_beginning() {
    const auto bounds = engine_bounds();
    if (bounds) begin_at(bounds->begin);
    return bounds.has_value();
}

// Fetch sessions tell their clients where the log starts.
void Partition::begin_at(sdk::Offset begin) {
    const sdk::Offset before = log_.begin();
    log_.trim(std::min(begin, log_.end()));
    if (log_.begin() != before) tell_fetches_later();
}

void Partition::tell_fetches_later() {
    if (fetch_waiters_.empty()) return;
    work_began();
    shard_.post([this] {
        fetch_waiters_.tell_all();
        work_ended();
    });
}

sdk::Offset Partition::log_start() {
    if (state_ == State::open) follow_beginning();
    return log_.begin();
}

sdk::Status Partition::seal(log::SealPlan plan) {
    const auto status =
        counted(figures_.calls, setup_.engine_name, "seal", [this] { return engine_log_->seal(); });
    // Only an append may find the device full and leave everything as it was.
    if (!status) return sdk::Error{sdk::Errc::io, status.error().what};
    write_side_files(std::move(plan.files), [] {});
    return {};
}

// Appended; acknowledged now or once committed and synced.
void Partition::written(Pending& pending) {
    if (pending.batch) {
        traffic_.bytes_in += pending.batch->bytes.size();
        traffic_.records_in +=
            static_cast<std::uint64_t>(pending.batch->next - pending.batch->base);
    }
    const bool for_sync = pending.acknowledged && flush_schedule_.acknowledges_after_sync();
    const bool for_commit = pending.wait_for_commit;
    if (for_sync) flush_schedule_.owe(pending.end);
    if (!for_sync && !for_commit) return pending.done(std::move(pending.outcome));
    commit_waiters_.wait(pending.end, for_commit, for_sync,
                         [outcome = std::move(pending.outcome),
                          done = std::move(pending.done)](ErrorCode error) mutable {
                             if (error != ErrorCode::none) outcome = {.error = error};
                             done(std::move(outcome));
                         });
}

void Partition::update_high_watermark() {
    view_.log_end = log_.end();
    view_.high_watermark = high_watermark_;
    view_.now = shard_.now();
    const auto wanted = counted(
        policy_calls_, setup_.policy_name, "high_watermark",
        [this]() -> sdk::Result<sdk::Offset> { return setup_.policy->high_watermark(view_); });
    if (!wanted) return go_offline("commit", wanted.error());
    const sdk::Offset raised = std::clamp(*wanted, high_watermark_, log_.end());
    const bool moved = raised > high_watermark_;
    high_watermark_ = raised;
    if (moved) fetch_waiters_.tell_elsewhere();
    commit_waiters_.advance(high_watermark_, flush_schedule_.durable());
    if (moved) fetch_waiters_.tell_all();
}

std::optional<ReadOutcome> Partition::read(const ReadRequest& request, sdk::Task retry) {
    if (state_ == State::opening) {
        until_opened_.push_back(std::move(retry));
        return std::nullopt;
    }
    if (state_ != State::open) return ReadOutcome{.error = why_not_open()};
    ReadOutcome outcome{.error = check_epoch(request.current_epoch)};
    if (outcome.error != ErrorCode::none) return outcome;
    outcome.high_watermark = outcome.last_stable = high_watermark_;
    outcome.log_start = log_.begin();
    if (request.last_fetched_epoch.value >= 0) {
        const auto end = end_offset_for(request.last_fetched_epoch);
        if (end.epoch.value < 0) return ReadOutcome{.error = ErrorCode::offset_out_of_range};
        if (end.epoch < request.last_fetched_epoch || end.end < request.from) {
            outcome.diverging = end;
            return outcome;
        }
    }
    if (request.from < log_.begin() || request.from > log_.end()) {
        return ReadOutcome{.error = ErrorCode::offset_out_of_range};
    }
    if (request.from >= high_watermark_) return outcome;
    if (request.max_bytes == 0 && !request.first_whole) return outcome;
    const sdk::Instant began = shard_.now();
    auto answer = counted(figures_.calls, setup_.engine_name, "read", [&] {
        return engine_log_->read(request.from, high_watermark_, request.max_bytes);
    });
    figures_.calls.took(shard_.now() - began);
    if (!answer) {
        const bool dropped = answer.error().code == sdk::Errc::out_of_range && follow_beginning() &&
                             request.from < log_.begin();
        if (dropped) {
            outcome.error = ErrorCode::offset_out_of_range;
            outcome.log_start = log_.begin();
            return outcome;
        }
        go_offline("read", answer.error());
        return ReadOutcome{.error = ErrorCode::kafka_storage_error};
    }
    if (answer->bring_in) {
        bring_in(std::move(answer->bring_in), std::move(retry));
        return std::nullopt;
    }
    for (const sdk::Slice& slice : answer->slices) outcome.bytes += sdk::size_of(slice);
    if (!request.first_whole && outcome.bytes > request.max_bytes) {
        outcome.bytes = 0;
        return outcome;
    }
    traffic_.bytes_out += outcome.bytes - std::min(outcome.bytes, request.counted);
    outcome.slices = std::move(answer->slices);
    return outcome;
}

void Partition::bring_in(sdk::Task what_is_missing, sdk::Task retry) {
    work_began();
    runtime::offload(
        shard_,
        [engine = setup_.engine_name, what_is_missing = std::move(what_is_missing)]() mutable {
            return brought_in(engine, what_is_missing);
        },
        [this, retry = std::move(retry)](const sdk::Status& status) mutable {
            figures_.calls.made(status.has_value());
            if (!status) go_offline("read", status.error());
            retry();
            work_ended();
        });
}

void Partition::wait_above(sdk::Offset seen, FetchWaiters::Id id, FetchWaiters::Runs where,
                           sdk::Task advanced) {
    fetch_waiters_.wait(id, where, std::move(advanced));
    if (state_ != State::open || high_watermark_ > seen) tell_fetches_later();
}

log::EpochEnd Partition::end_offset_for(sdk::LeaderEpoch epoch) const {
    return log_.epochs().end_offset_for(epoch, log_.end());
}

ErrorCode Partition::check_epoch(sdk::LeaderEpoch current) const {
    const sdk::LeaderEpoch not_known{-1};
    if (current == not_known || current == setup_.state.leader_epoch) return ErrorCode::none;
    return current < setup_.state.leader_epoch ? ErrorCode::fenced_leader_epoch
                                               : ErrorCode::unknown_leader_epoch;
}

}  // namespace leat::broker
