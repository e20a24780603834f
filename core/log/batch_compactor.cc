// What of a batch is mapped, and what stays of it.
#include <algorithm>
#include <utility>

#include "core/log/compaction.h"
#include "core/log/record_walk.h"
#include "core/wire/batch_builder.h"
#include "core/wire/batch_rewrite.h"

namespace leat::log {
namespace {

using Bytes = std::vector<std::byte>;
using wire::BatchView;

// Whether what is in it is of no concern: it stays as it is, and hides nothing.
bool is_left_alone(const BatchView& batch) {
    return batch.control() || batch.transactional();
}

// Nothing for one that cannot be opened within the bounds.
sdk::Result<std::optional<OpenedRecords>> opened(const BatchView& batch,
                                                 const compression::Bounds& bounds) {
    auto records = OpenedRecords::open(batch, bounds);
    if (records) return std::optional{std::move(*records)};
    const sdk::Errc code = records.error().code;
    if (code == sdk::Errc::limit || code == sdk::Errc::unsupported) {
        return std::optional<OpenedRecords>{};
    }
    return records.error();
}

void put_bytes(Bytes& to, const std::optional<std::span<const std::byte>>& bytes) {
    wire::put_varint(to, bytes ? static_cast<std::int64_t>(bytes->size()) : -1);
    if (bytes) to.insert(to.end(), bytes->begin(), bytes->end());
}

void put_record(Bytes& to, Bytes& body, const wire::Record& record, std::int64_t timestamp_delta) {
    body.assign(1, std::byte{0});
    wire::put_varint(body, timestamp_delta);
    wire::put_varint(body, record.offset_delta);
    put_bytes(body, record.key);
    put_bytes(body, record.value);
    wire::put_varint(body, record.header_count);
    body.insert(body.end(), record.headers.begin(), record.headers.end());
    wire::put_varint(to, static_cast<std::int64_t>(body.size()));
    to.insert(to.end(), body.begin(), body.end());
}

}  // namespace

sdk::Result<bool> map_keys(KeyMap& map, const BatchView& batch, Offset from, Offset& mapped,
                           const compression::Bounds& bounds) {
    if (!is_left_alone(batch)) {
        const auto records = opened(batch, bounds);
        if (!records) return records.error();
        auto reader = *records ? (*records)->reader() : wire::RecordReader{{}};
        while (!reader.at_end()) {
            const auto record = reader.next();
            if (!record) return record.error();
            const Offset offset = batch.base_offset() + record->offset_delta;
            if (offset < from || !record->key) continue;
            if (map.put(*record->key, offset)) continue;
            mapped = offset;
            return false;
        }
    }
    mapped = batch.next_offset();
    return true;
}

// The records that stay, in runs of their bytes.
struct BatchCompactor::Walked {
    std::vector<std::span<const std::byte>> runs;
    std::int32_t count = 0;
    std::int64_t dropped = 0;
    Timestamp max_timestamp{-1};
    bool tombstones = false;  // Among those that stay.

    Bytes joined() const {
        Bytes bytes;
        for (const auto& run : runs) bytes.insert(bytes.end(), run.begin(), run.end());
        return bytes;
    }
    // With timestamps told from `base`, not from `before`. Nothing if one is too far from it.
    std::optional<Bytes> rebased(Timestamp before, Timestamp base) const {
        std::int64_t shift = 0;
        if (__builtin_sub_overflow(before.value, base.value, &shift)) return std::nullopt;
        Bytes bytes;
        Bytes body;
        for (const auto& run : runs) {
            wire::RecordReader reader{run};
            while (!reader.at_end()) {
                const auto record = reader.next();
                std::int64_t delta = 0;
                if (!record || __builtin_add_overflow(record->timestamp_delta, shift, &delta)) {
                    return std::nullopt;
                }
                put_record(bytes, body, *record, delta);
            }
        }
        return bytes;
    }
};

BatchCompactor::BatchCompactor(const KeyMap& map, Offset mapped, Horizon horizon,
                               std::vector<Offset> producers_last, compression::Bounds bounds)
    : map_{map},
      mapped_{mapped},
      horizon_{horizon},
      producers_last_{std::move(producers_last)},
      bounds_{bounds} {
    std::sort(producers_last_.begin(), producers_last_.end());
}

bool BatchCompactor::stays(const BatchView& batch, Offset offset,
                           const std::optional<std::span<const std::byte>>& key,
                           bool has_value) const {
    if (offset >= mapped_) return true;
    if (!key) return false;  // From before the topic was compacted.
    const auto newest = map_.find(*key);
    if (newest && offset < *newest) return false;
    return has_value || !batch.has_delete_horizon() || horizon_.now < batch.base_timestamp();
}

bool BatchCompactor::stays_empty(const BatchView& batch, Offset end) const {
    if (batch.next_offset() == end) return true;
    return batch.has_producer() &&
           std::binary_search(producers_last_.begin(), producers_last_.end(), batch.last_offset());
}

sdk::Result<BatchCompactor::Walked> BatchCompactor::walk(const BatchView& batch,
                                                         std::span<const std::byte> records) const {
    Walked walked;
    if (batch.log_append_time()) walked.max_timestamp = batch.max_timestamp();
    wire::RecordReader reader{records};
    bool stayed = false;
    while (!reader.at_end()) {
        const std::size_t at = records.size() - reader.remaining();
        const auto record = reader.next();
        if (!record) return record.error();
        const bool stays_now = stays(batch, batch.base_offset() + record->offset_delta, record->key,
                                     record->value.has_value());
        if (!stays_now) ++walked.dropped;
        if (stays_now && stayed) {
            const auto& run = walked.runs.back();
            walked.runs.back() = {run.data(), run.size() + record->bytes};
        } else if (stays_now) {
            walked.runs.push_back(records.subspan(at, record->bytes));
        }
        stayed = stays_now;
        if (!stays_now) continue;
        ++walked.count;
        walked.tombstones = walked.tombstones || (record->key && !record->value);
        Timestamp timestamp{-1};
        const bool told = !batch.log_append_time() &&
                          !__builtin_add_overflow(batch.base_timestamp().value,
                                                  record->timestamp_delta, &timestamp.value);
        if (told) walked.max_timestamp = std::max(walked.max_timestamp, timestamp);
    }
    return walked;
}

sdk::Result<Remains> BatchCompactor::compact(const BatchView& batch, Offset end) const {
    if (is_left_alone(batch) || batch.base_offset() >= mapped_) return Remains{};
    const auto records = opened(batch, bounds_);
    if (!records) return records.error();
    if (!*records) return Remains{};
    const auto walked = walk(batch, (*records)->bytes());
    if (!walked) return walked.error();
    if (walked->count == 0) {
        if (!stays_empty(batch, end)) {
            return Remains{.what = Remains::What::nothing, .records_dropped = walked->dropped};
        }
        if (walked->dropped == 0) return Remains{};
        return Remains{.what = Remains::What::changed,
                       .bytes = wire::emptied_batch(batch),
                       .max_timestamp = batch.max_timestamp(),
                       .records_dropped = walked->dropped};
    }
    return rewritten(batch, *walked);
}

sdk::Result<Remains> BatchCompactor::rewritten(const BatchView& batch, const Walked& walked) const {
    wire::RewrittenFields fields{.count = walked.count, .max_timestamp = walked.max_timestamp};
    std::optional<Bytes> bytes;
    if (walked.tombstones && !batch.has_delete_horizon() && batch.next_offset() <= mapped_) {
        Timestamp horizon{0};
        if (__builtin_add_overflow(horizon_.now.value, horizon_.delete_retention_ms,
                                   &horizon.value)) {
            horizon.value = INT64_MAX;
        }
        bytes = walked.rebased(batch.base_timestamp(), horizon);
        if (bytes) fields.delete_horizon = horizon;
    }
    if (!bytes && walked.dropped == 0) return Remains{};
    if (!bytes) bytes = walked.joined();
    const auto codec = compression::recompressed_with(*compression::codec_of(batch.codec_id()));
    fields.codec_id = static_cast<int>(codec);
    if (codec != compression::Codec::none) {
        auto compressed = compression::compress(codec, *bytes);
        if (!compressed) return compressed.error();
        bytes = std::move(*compressed);
    }
    return Remains{.what = Remains::What::changed,
                   .bytes = wire::rewritten_batch(batch, fields, *bytes),
                   .max_timestamp = fields.max_timestamp,
                   .records_dropped = walked.dropped};
}

}  // namespace leat::log
