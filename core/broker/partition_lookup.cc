// How a partition finds a record by its time.

#include <algorithm>

#include "core/broker/partition.h"
#include "core/broker/plugin_call.h"
#include "core/runtime/load_slices.h"
#include "core/runtime/offload.h"

namespace leat::broker {

using wire::ErrorCode;

namespace {

constexpr std::size_t chunk_bytes = 1024 * 1024;  // Of the log, at a time.

}  // namespace

struct Partition::Lookup {
    sdk::Timestamp target;
    sdk::Offset next;
    sdk::Function<void(TimeLookup)> done;
    std::vector<std::byte> bytes{};
    std::optional<log::TimedRecord> found{};
    bool damaged = false;  // A batch cannot be opened.

    void search(sdk::Offset begin);
};

// [worker] In what was loaded.
void Partition::Lookup::search(sdk::Offset begin) {
    std::span<const std::byte> rest{bytes};
    while (rest.size() >= wire::batch_header_bytes && !found) {
        const wire::BatchView batch{rest};
        if (!batch.is_whole()) return;
        next = batch.next_offset();
        rest = rest.subspan(batch.size());
        if (batch.max_timestamp() < target) continue;
        const auto record = log::first_not_older(batch, target, begin);
        damaged = !record;
        if (damaged) return;
        found = *record;
    }
}

void Partition::find_by_time(sdk::Timestamp target, sdk::Function<void(TimeLookup)> done) {
    if (state_ != State::open) return done({.error = why_not_open()});
    const auto at = counted(
        figures_.calls, setup_.engine_name, "seek",
        [&]() -> sdk::Result<std::optional<sdk::Offset>> { return engine_log_->seek(target); });
    if (!at) {
        go_offline("seek", at.error());
        return done({.error = ErrorCode::kafka_storage_error});
    }
    if (!*at) return done({});
    look_up(
        std::make_shared<Lookup>(Lookup{target, std::max(**at, log_.begin()), std::move(done)}));
}

void Partition::find_newest(sdk::Function<void(TimeLookup)> done) {
    if (state_ != State::open) return done({.error = why_not_open()});
    const auto kept = extents();
    if (!kept) return done({.error = ErrorCode::kafka_storage_error});
    sdk::Timestamp newest{-1};
    for (const sdk::Extent& extent : *kept) newest = std::max(newest, extent.max_timestamp);
    if (newest.value < 0) return done({});
    find_by_time(newest, std::move(done));
}

// Chunk by chunk: the shard reads slices, a worker loads and opens batches.
void Partition::look_up(std::shared_ptr<Lookup> lookup) {
    // An answer "there is none" would send a consumer to the end of the log.
    if (state_ != State::open) return lookup->done({.error = why_not_open()});
    lookup->next = std::max(lookup->next, log_.begin());  // Trimmed meanwhile.
    if (lookup->next >= high_watermark_) return lookup->done({});
    auto answer = counted(figures_.calls, setup_.engine_name, "read", [&] {
        return engine_log_->read(lookup->next, high_watermark_, chunk_bytes);
    });
    if (!answer) {
        const bool dropped = answer.error().code == sdk::Errc::out_of_range && follow_beginning() &&
                             lookup->next < log_.begin();
        if (dropped) {
            lookup->next = log_.begin();
            return look_up(lookup);
        }
        go_offline("read", answer.error());
        return lookup->done({.error = ErrorCode::kafka_storage_error});
    }
    work_began();
    runtime::offload(
        shard_,
        [lookup, engine = setup_.engine_name, answer = std::move(*answer),
         begin = log_.begin()]() mutable -> sdk::Status {
            if (answer.bring_in) return brought_in(engine, answer.bring_in);
            const auto loaded = runtime::load(answer.slices, lookup->bytes);
            if (loaded) lookup->search(begin);
            return loaded;
        },
        [this, lookup](const sdk::Status& status) {
            if (!status) {
                go_offline("read", status.error());
                lookup->done({.error = ErrorCode::kafka_storage_error});
            } else if (lookup->damaged) {
                lookup->done({.error = ErrorCode::corrupt_message});
            } else if (lookup->found) {
                lookup->done({.found = lookup->found, .epoch = epoch_at(lookup->found->offset)});
            } else {
                look_up(lookup);
            }
            work_ended();
        });
}

}  // namespace leat::broker
