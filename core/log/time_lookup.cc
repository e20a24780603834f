#include "core/log/time_lookup.h"

#include "core/log/record_walk.h"

namespace leat::log {

namespace {

using sdk::Offset;
using sdk::Timestamp;

sdk::Result<std::optional<TimedRecord>> first_from(const wire::BatchView& batch, Timestamp target,
                                                   Offset from, const compression::Bounds& bounds) {
    const auto opened = OpenedRecords::open(batch, bounds);
    if (!opened) return opened.error();
    auto reader = opened->reader();
    for (std::int32_t left = batch.record_count(); left > 0 && !reader.at_end(); --left) {
        const auto record = reader.next();
        if (!record) return record.error();
        const Offset offset = batch.base_offset() + record->offset_delta;
        Timestamp timestamp = batch.max_timestamp();
        if (!batch.log_append_time() &&
            __builtin_add_overflow(batch.base_timestamp().value, record->timestamp_delta,
                                   &timestamp.value))
            return sdk::Error{sdk::Errc::corrupt, "a record's timestamp overflows"};
        if (offset >= from && timestamp >= target)
            return std::optional{TimedRecord{offset, timestamp}};
    }
    return std::optional<TimedRecord>{};
}

}  // namespace

sdk::Result<std::optional<TimedRecord>> first_not_older(const wire::BatchView& batch,
                                                        sdk::Timestamp target, sdk::Offset from,
                                                        const compression::Bounds& bounds) {
    const bool none = batch.control() || batch.max_timestamp() < target ||
                      batch.last_offset() < from;
    if (none) return std::optional<TimedRecord>{};
    return first_from(batch, target, from, bounds);
}

sdk::Result<std::optional<TimedRecord>> newest(const wire::BatchView& batch,
                                               const compression::Bounds& bounds) {
    if (batch.control()) return std::optional<TimedRecord>{};
    return first_from(batch, batch.max_timestamp(), batch.base_offset(), bounds);
}

}  // namespace leat::log
