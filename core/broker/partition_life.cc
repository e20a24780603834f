// How a partition opens, syncs, looks up times and closes: what waits for a device.

#include <algorithm>

#include "core/broker/extent_age.h"
#include "core/broker/partition.h"
#include "core/broker/plugin_call.h"
#include "core/broker/side_files.h"
#include "core/log/recovery.h"
#include "core/runtime/load_slices.h"
#include "core/runtime/offload.h"

namespace leat::broker {

using wire::ErrorCode;

namespace {

constexpr std::size_t chunk_bytes = 1024 * 1024;  // Of the log, at a time, for whoever scans it.

// By which an engine instance keeps it.
std::string log_name(const PartitionSetup& setup) {
    return setup.engine_name + "/" + setup.id.topic + "-" + std::to_string(setup.id.index);
}

// [worker] A log that nobody else uses yet.
class UnsharedLogReader final : public log::BatchReader {
public:
    explicit UnsharedLogReader(sdk::Log& log) : log_{log} {}

    sdk::Result<std::span<const std::byte>> read_from(sdk::Offset from) override {
        const sdk::Offset end = log_.bounds().end;
        if (from >= end) return std::span<const std::byte>{};
        for (;;) {
            auto answer = log_.read(from, end, chunk_bytes);
            if (!answer) return answer.error();
            if (answer->bring_in) {
                answer->bring_in();
                continue;
            }
            if (const auto status = runtime::load(answer->slices, bytes_); !status)
                return status.error();
            return std::span<const std::byte>{bytes_};
        }
    }

private:
    sdk::Log& log_;
    std::vector<std::byte> bytes_;
};

// [worker] The epochs before the sync, as in Partition::flush().
sdk::Status close_log(sdk::Log& log, sdk::SideFiles* side_files,
                      std::span<const log::SideFile> files, const sdk::LogBounds& bounds) {
    sdk::Status epochs;
    if (side_files != nullptr) epochs = side_files->write(files[0].name, files[0].bytes);
    if (const auto status = log.flush(); !status) return status;
    if (side_files == nullptr || !epochs) return epochs;
    return store(*side_files, files.subspan(1), bounds.begin, bounds.end);
}

}  // namespace

struct Partition::Opened {
    std::unique_ptr<sdk::Log> engine_log;
    log::PartitionLog log;
    log::Recovered recovered;
    sdk::Offset flushed;
    std::optional<log::LeaderEpochs> stored_epochs;
    sdk::Offset cleaned{-1};
};

// [worker] What the log itself says about the state that the core keeps beside it.
sdk::Status Partition::recover(Opened& opened, sdk::Timestamp wall) {
    sdk::Log& engine_log = *opened.engine_log;
    std::optional<sdk::Extent> active;
    if (const auto extents = engine_log.extents(); !extents.empty()) active = extents.back();
    const auto age = age_of(active, engine_log, wall);
    if (!age) return age.error();
    const sdk::LogBounds bounds = engine_log.bounds();
    opened.flushed = bounds.flushed;
    opened.log.open(bounds, active, *age);
    UnsharedLogReader reader{engine_log};
    sdk::SideFiles* side_files = engine_log.side_files();
    auto recovered = log::recover(opened.log, side_files, reader, wall);
    if (!recovered) return recovered.error();
    if (side_files != nullptr) {
        opened.stored_epochs = recovered->stored_epochs;
        // Where it is lost, a compaction looks at all again.
        const auto checkpoint = side_files->read(log::cleaner_checkpoint_name);
        if (checkpoint) {
            opened.cleaned = log::decode_cleaner_checkpoint(*checkpoint).value_or(opened.cleaned);
        }
    }
    opened.recovered = std::move(*recovered);
    return {};
}

Partition::Partition(PartitionSetup setup, sdk::Shard& shard, OpenLogs& open_logs,
                     logging::Logger& logger, ShardFigures& figures)
    : setup_{std::move(setup)},
      shard_{shard},
      open_logs_{open_logs},
      log_name_{log_name(setup_)},
      logger_{logger},
      figures_{figures.storage[setup_.engine_name]},
      policy_calls_{figures.replication[setup_.policy_name]},
      log_{setup_.log},
      flush_schedule_{setup_.flush, sdk::Offset{0}} {
    open_logs_.claim(log_name_, shard_, [this] { open(); });
}

Partition::~Partition() {
    sdk::ensure(under_way_ == 0, "a partition outlives its work");
}

void Partition::when_opened(sdk::Task ready) {
    if (state_ != State::opening) return ready();
    until_opened_.push_back(std::move(ready));
}

void Partition::open() {
    opened_at_ = shard_.now();
    opened_wall_ = shard_.wall_clock();
    work_began();
    runtime::offload(
        shard_,
        [setup = setup_, wall = opened_wall_]() -> sdk::Result<std::unique_ptr<Opened>> {
            auto engine_log = contained(setup.engine_name, "open", [&] {
                return setup.engine->open(setup.id, setup.storage);
            });
            if (!engine_log) return engine_log.error();
            auto opened = std::make_unique<Opened>(
                Opened{std::move(*engine_log), log::PartitionLog{setup.log}, {}, {}, {}, {-1}});
            const auto status =
                contained(setup.engine_name, "recovery", [&] { return recover(*opened, wall); });
            if (!status) return status.error();
            return opened;
        },
        [this](sdk::Result<std::unique_ptr<Opened>> result) {
            opened(std::move(result));
            work_ended();
        });
}

void Partition::opened(sdk::Result<std::unique_ptr<Opened>> result) {
    figures_.calls.made(result.has_value());
    if (!result) return go_offline("open", result.error());
    Opened& all = **result;
    engine_log_ = std::move(all.engine_log);
    log_ = std::move(all.log);
    log_.change(setup_.log);  // It may have changed while the log was opened.
    stored_epochs_ = std::move(all.stored_epochs);
    cleaned_ = all.cleaned;
    for (const std::string& ignored : all.recovered.ignored) {
        logger_.log(logging::Level::warn, "side file ignored",
                    {{"topic", setup_.id.topic},
                     {"partition", std::to_string(setup_.id.index)},
                     {"file", ignored}});
    }
    const std::int64_t highest_id = all.recovered.highest_producer_id;
    if (highest_id >= 0 && setup_.found_producer_id) setup_.found_producer_id(highest_id);
    log_.lead(setup_.state.leader_epoch);
    flush_schedule_ = FlushSchedule{setup_.flush, all.flushed};
    flush_schedule_.appended(std::max(log_.end(), flush_schedule_.durable()), shard_.now());
    view_ = {.self = setup_.self,
             .state = setup_.state,
             .log_end = log_.end(),
             .epoch_start = log_.end(),
             .high_watermark = log_.begin(),
             .min_in_sync = setup_.min_in_sync};
    high_watermark_ = log_.begin();
    state_ = State::open;
    if (!tell_engine_options()) return;
    if (!epochs_are_stored()) store_epochs([] {});
    update_high_watermark();
    consider_flush();
    tell_opened();
}

// The wall clock as it was at open, and from then on by the steady one.
sdk::Timestamp Partition::producers_clock() const {
    using std::chrono::milliseconds;
    const auto since = std::chrono::duration_cast<milliseconds>(shard_.now() - opened_at_);
    return {opened_wall_.value + since.count()};
}

void Partition::tell_opened() {
    for (auto waiting = std::exchange(until_opened_, {}); sdk::Task & ready : waiting) ready();
}

void Partition::go_offline(std::string_view doing, const sdk::Error& error) {
    healthy_ = false;
    logger_.log(logging::Level::error, "partition offline",
                {{"topic", setup_.id.topic},
                 {"partition", std::to_string(setup_.id.index)},
                 {"storage", setup_.engine_name},
                 {"doing", std::string{doing}},
                 {"reason", error.what}});
    if (state_ == State::closing) return commit_waiters_.fail(ErrorCode::kafka_storage_error);
    state_ = State::offline;
    hurry_compaction();
    fail_pending(ErrorCode::kafka_storage_error, error.what);
    commit_waiters_.fail(ErrorCode::kafka_storage_error);
    fail_wanted_trim(ErrorCode::kafka_storage_error);
    fetch_waiters_.tell_all();
    tell_opened();
}

// What was accepted and has not reached the log.
void Partition::fail_pending(ErrorCode error, const std::string& message) {
    if (pending_.empty()) return;
    log_.append_failed();
    for (auto pending = std::exchange(pending_, {}); Pending & lost : pending) {
        lost.done({.error = error, .message = message});
    }
}

void Partition::change(PartitionSetup setup) {
    if (trimming_) {
        until_trimmed_.push_back(
            [this, setup = std::move(setup)]() mutable { change(std::move(setup)); });
        return;
    }
    // What this turn has brought was accepted under the rules and the epoch of before.
    if (state_ == State::open && !pending_.empty()) write_pending();
    const bool new_epoch = setup.state.leader_epoch > setup_.state.leader_epoch;
    setup_.state = std::move(setup.state);
    setup_.rules = setup.rules;
    setup_.log = setup.log;
    setup_.storage = setup.storage;
    setup_.flush = setup.flush;
    setup_.min_in_sync = setup.min_in_sync;
    setup_.retention = setup.retention;
    if (setup_.compaction != setup.compaction) uncleanable_ = false;
    setup_.compaction = setup.compaction;
    flush_schedule_.change_promise(setup.flush);
    if (flush_timer_ != sdk::TimerId::none) {  // It was set by the old interval.
        shard_.cancel(std::exchange(flush_timer_, sdk::TimerId::none));
    }
    if (state_ != State::open) return consider_flush();
    view_.state = setup_.state;
    view_.min_in_sync = setup_.min_in_sync;
    log_.change(setup_.log);
    if (!tell_engine_options()) return;
    if (new_epoch && log_.lead(setup_.state.leader_epoch)) view_.epoch_start = log_.end();
    if (new_epoch) tell_fetches_later();
    update_high_watermark();
    consider_flush();
}

bool Partition::tell_engine_options() {
    const auto told =
        counted(figures_.calls, setup_.engine_name, "options_changed", [this]() -> sdk::Status {
            engine_log_->options_changed(setup_.storage);
            return {};
        });
    if (!told) go_offline("change", told.error());
    return told.has_value();
}

void Partition::consider_flush() {
    if (state_ != State::open && state_ != State::offline) return;
    if (sync_failed_ || !engine_log_) return;
    // A log that is synced all the time is trimmed and compacted too.
    if (trimming_ || wanted_trim_ || wanted_alone_) return;
    if (flush_schedule_.due(shard_.now())) return flush();
    const auto at = flush_schedule_.ask_again_at();
    if (!at || flush_timer_ != sdk::TimerId::none) return;
    flush_timer_ = shard_.after(std::max(*at - shard_.now(), sdk::Instant{0}), [this] {
        flush_timer_ = sdk::TimerId::none;
        consider_flush();
    });
}

// The checkpoint first: who recovers only what lies above the synced part (Apache Kafka does, to
// which the folder may go) cannot rebuild the epochs below it: KIP-101, KAFKA-16541. Should writing
// it fail, the sync is owed all the same.
void Partition::flush() {
    flush_schedule_.started();
    syncing_ = true;
    if (epochs_are_stored()) return flush_log();
    store_epochs([this] { flush_log(); });
}

void Partition::flush_log() {
    work_began();
    runtime::offload(
        shard_,
        [engine = setup_.engine_name, log = engine_log_.get(), &shard = shard_] {
            const sdk::Instant began = shard.now();
            auto status = contained(engine, "flush", [log] { return log->flush(); });
            return Synced{std::move(status), shard.now() - began};
        },
        [this](const Synced& synced) {
            flushed(synced);
            work_ended();
        });
}

void Partition::flushed(const Synced& synced) {
    syncing_ = false;
    figures_.calls.made(synced.status.has_value());
    figures_.syncs.record(synced.took);
    if (!synced.status) {
        sync_failed_ = true;
        return go_offline("flush", synced.status.error());
    }
    const auto durable =
        counted(figures_.calls, setup_.engine_name, "bounds",
                [this]() -> sdk::Result<sdk::Offset> { return engine_log_->bounds().flushed; });
    if (!durable) return go_offline("flush", durable.error());
    flush_schedule_.finished(*durable);
    // An epoch that began while the sync ran.
    if (state_ == State::open && !epochs_are_stored()) store_epochs([] {});
    commit_waiters_.advance(high_watermark_, flush_schedule_.durable());
    compact_what_is_synced();
    consider_trim();
    consider_flush();
}

void Partition::close(ErrorCode error, bool discard, sdk::Function<void(bool)> done) {
    if (trimming_) {
        until_trimmed_.push_back([this, error, discard, done = std::move(done)]() mutable {
            close(error, discard, std::move(done));
        });
        return;
    }
    if (state_ == State::opening) {
        until_opened_.push_back([this, error, discard, done = std::move(done)]() mutable {
            close(error, discard, std::move(done));
        });
        return;
    }
    if (state_ == State::open && !pending_.empty() && !discard) write_pending();
    state_ = State::closing;
    hurry_compaction();
    fail_pending(error, {});
    fail_wanted_trim(error);
    discard_ = discard;
    close_done_ = std::move(done);
    if (discard) commit_waiters_.fail(error);
    fetch_waiters_.tell_all();
    if (flush_timer_ != sdk::TimerId::none) shard_.cancel(flush_timer_);
    if (under_way_ == 0) finish_close();
}

void Partition::work_ended() {
    --under_way_;
    if (state_ == State::closing && under_way_ == 0) finish_close();
}

void Partition::finish_close() {
    if (!engine_log_) return closed();
    work_began();
    const bool sync = !discard_ && !sync_failed_;
    runtime::offload(
        shard_,
        [engine = setup_.engine_name, log = std::move(engine_log_), sync, files = sync && healthy_,
         plan = sync ? log_.checkpoint() : log::SealPlan{},
         bounds = sdk::LogBounds{log_.begin(), log_.end(), {}}]() mutable -> sdk::Status {
            sdk::Status status;
            if (sync) {
                status = contained(engine, "close", [&]() -> sdk::Status {
                    return close_log(*log, files ? log->side_files() : nullptr, plan.files, bounds);
                });
            }
            log.reset();
            return status;
        },
        [this](const sdk::Status& status) {
            figures_.calls.made(status.has_value());
            if (!status) go_offline("close", status.error());
            if (status && healthy_) commit_waiters_.advance(high_watermark_, log_.end());
            commit_waiters_.fail(ErrorCode::not_leader_or_follower);
            --under_way_;
            closed();
        });
}

void Partition::closed() {
    state_ = State::closed;
    open_logs_.release(log_name_);
    std::exchange(close_done_, {})(healthy_);
}

}  // namespace leat::broker
