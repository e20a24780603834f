// How a partition lets go of its oldest records: for retention, or because a client says so.
//
// A trim runs alone: no append, no sync and no side file beside it (sdk/storage.h). What comes
// meanwhile waits; a sync that would begin waits too, or a log with flush = "each" would never be
// trimmed. The swap of a compaction does the same.

#include <algorithm>

#include "core/broker/partition.h"
#include "core/broker/plugin_call.h"
#include "core/runtime/offload.h"

namespace leat::broker {

using wire::ErrorCode;

std::optional<std::vector<sdk::Extent>> Partition::extents() {
    auto kept = counted(
        figures_.calls, setup_.engine_name, "extents",
        [this]() -> sdk::Result<std::vector<sdk::Extent>> { return engine_log_->extents(); });
    if (kept) return std::move(*kept);
    go_offline("extents", kept.error());
    return std::nullopt;
}

std::optional<std::uint64_t> Partition::stored_bytes() {
    const auto kept = extents();
    if (!kept) return std::nullopt;
    std::uint64_t bytes = 0;
    for (const sdk::Extent& extent : *kept) bytes += extent.bytes;
    return bytes;
}

void Partition::retain(sdk::Timestamp now) {
    if (state_ != State::open || trimming_ || wanted_trim_) return;
    const auto kept = extents();
    if (!kept) return;
    const sdk::Offset begin =
        retention_.trim_point(setup_.retention, {*kept, log_.begin(), high_watermark_}, now);
    if (begin <= log_.begin()) return;
    logger_.log(logging::Level::info, "segments past their retention go",
                {{"topic", setup_.id.topic},
                 {"partition", std::to_string(setup_.id.index)},
                 {"log_start", std::to_string(begin.value)}});
    want_trim(begin, [](ErrorCode) {});
}

void Partition::delete_records(sdk::Offset below, sdk::Function<void(DeletedRecords)> done) {
    if (state_ != State::open) return done({.error = why_not_open()});
    if (!setup_.retention.deletes) return done({.error = ErrorCode::policy_violation});
    constexpr sdk::Offset up_to_high_watermark{-1};
    if (below == up_to_high_watermark) below = high_watermark_;
    if (below.value < 0 || below > high_watermark_) {
        return done({.error = ErrorCode::offset_out_of_range});
    }
    const bool is_so = below <= log_.begin() && !trimming_;  // And durably.
    if (is_so) return done({.log_start = log_.begin()});
    want_trim(below, [this, done = std::move(done)](ErrorCode error) mutable {
        if (error != ErrorCode::none) return done({.error = error});
        done({.log_start = log_.begin()});
    });
}

void Partition::want_trim(sdk::Offset begin, sdk::Function<void(ErrorCode)> then) {
    if (!wanted_trim_) wanted_trim_ = Trim{};
    if (begin > wanted_trim_->begin) {
        wanted_trim_->begin = begin;
        wanted_trim_->files_written = false;
    }
    wanted_trim_->then.push_back(std::move(then));
    consider_trim();
}

// Recovery begins with the newest side files that do not lie below the log's beginning. If that
// moves past the last seal there have to be some, or the producers of what goes are forgotten.
void Partition::consider_trim() {
    const auto wanted = [this] { return wanted_trim_ || wanted_alone_; };
    if (state_ != State::open || !wanted() || trimming_ || syncing_ || writing_side_files_) {
        return;
    }
    if (!pending_.empty()) write_pending();
    // Whoever was answered may have sent again: then this comes back at the end of the turn. Or it
    // wanted a trim, which has begun then.
    if (state_ != State::open || !wanted() || trimming_) return;
    if (!pending_.empty() || writing_side_files_) return;
    if (!wanted_trim_) return begin_alone();
    if (wanted_trim_->begin > log_.active_base() && !wanted_trim_->files_written) {
        wanted_trim_->files_written = true;
        write_side_files(log_.checkpoint().files, [] {});  // Then this comes back.
        return;
    }
    begin_trim();
}

// Readers hear of it first: none may be sent where the engine holds nothing any more.
void Partition::begin_trim() {
    Trim trim = std::move(*wanted_trim_);
    wanted_trim_.reset();
    trimming_ = true;
    begin_at(trim.begin);
    work_began();
    runtime::offload(
        shard_,
        [engine = setup_.engine_name, log = engine_log_.get(), begin = trim.begin] {
            return contained(engine, "trim", [&] { return log->trim(begin); });
        },
        [this, trim = std::move(trim)](const sdk::Status& status) mutable {
            trimmed(std::move(trim), status);
            work_ended();
        });
}

void Partition::trimmed(Trim trim, const sdk::Status& status) {
    figures_.calls.made(status.has_value());
    trimming_ = false;
    if (!status) go_offline("trim", status.error());
    alone_no_more();
    for (auto& then : trim.then) {
        then(status ? ErrorCode::none : ErrorCode::kafka_storage_error);
    }
    consider_trim();
    consider_flush();
}

// What came meanwhile.
void Partition::alone_no_more() {
    if (state_ == State::open && !pending_.empty()) write_pending();
    for (auto waiting = std::exchange(until_trimmed_, {}); sdk::Task & task : waiting) task();
}

void Partition::want_alone(sdk::Function<sdk::Status()> work,
                           sdk::Function<void(const sdk::Status&)> then) {
    if (state_ != State::open) {
        return then(sdk::Error{sdk::Errc::closed, "the partition is closed"});
    }
    wanted_alone_ = Alone{std::move(work), std::move(then)};
    consider_trim();
}

void Partition::begin_alone() {
    Alone alone = std::move(*wanted_alone_);
    wanted_alone_.reset();
    trimming_ = true;
    work_began();
    runtime::offload(
        shard_,
        [engine = setup_.engine_name, work = std::move(alone.work)]() mutable {
            return contained(engine, "commit", [&] { return work(); });
        },
        [this, then = std::move(alone.then)](const sdk::Status& status) mutable {
            figures_.calls.made(status.has_value());
            trimming_ = false;
            then(status);
            alone_no_more();
            consider_trim();
            consider_flush();
            work_ended();
        });
}

void Partition::fail_wanted_trim(ErrorCode error) {
    if (wanted_alone_) {
        auto alone = std::exchange(wanted_alone_, std::nullopt);
        alone->then(sdk::Error{sdk::Errc::closed, "the partition is closed"});
    }
    if (!wanted_trim_) return;
    for (auto trim = std::exchange(wanted_trim_, std::nullopt); auto& then : trim->then) {
        then(error);
    }
    consider_flush();  // Which waited for it.
}

}  // namespace leat::broker
