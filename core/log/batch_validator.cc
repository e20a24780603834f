#include "core/log/batch_validator.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/log/record_walk.h"
#include "core/wire/record_reader.h"

namespace leat::log {

namespace {

using wire::BatchView;
using wire::ErrorCode;
using Bytes = std::span<const std::byte>;

AppendError refuse(ErrorCode code, std::string message) {
    return {code, std::move(message)};
}
AppendError invalid(std::string message) {
    return refuse(ErrorCode::invalid_record, std::move(message));
}

enum class Found { nothing, garbage, batch };

// What Kafka's reader of produced bytes takes for a batch: the frame says a size that v0 could
// have, the magic is one that ever was, and all of it is there.
Found look(Bytes bytes, std::size_t& size) {
    constexpr std::size_t magic_at = 16, smallest_v0 = 14;
    if (bytes.size() < wire::batch_frame_bytes) return Found::nothing;
    size = wire::first_batch_size(bytes);
    if (size < wire::batch_frame_bytes + smallest_v0) return Found::garbage;
    if (bytes.size() <= magic_at) return Found::nothing;
    if (std::to_integer<int>(bytes[magic_at]) > wire::batch_magic) return Found::garbage;
    return size > bytes.size() ? Found::nothing : Found::batch;
}

// The accepted range of record timestamps.
struct TimeRange {
    std::int64_t from = std::numeric_limits<std::int64_t>::min();
    std::int64_t to = std::numeric_limits<std::int64_t>::max();

    TimeRange(const BatchRules& rules, Timestamp wall) {
        if (rules.timestamp_type == TimestampType::log_append_time) return;
        // The wall clock is positive, so that only the sum can overflow.
        from = std::max<std::int64_t>(wall.value, 0) - rules.timestamp_before_max_ms;
        if (__builtin_add_overflow(wall.value, rules.timestamp_after_max_ms, &to))
            to = std::numeric_limits<std::int64_t>::max();
    }
    bool holds(std::int64_t timestamp) const {
        return timestamp == -1 || (timestamp >= from && timestamp <= to);
    }
};

std::optional<AppendError> check_framing(Bytes bytes, const BatchRules& rules, std::size_t& size) {
    switch (look(bytes, size)) {
        case Found::nothing:
            return invalid("there is no whole record batch");
        case Found::garbage:
            return refuse(ErrorCode::corrupt_message, "what should be a record batch is none");
        case Found::batch:
            break;
    }
    if (std::to_integer<int>(bytes[16]) != wire::batch_magic)
        return invalid("only record batches of magic 2 are accepted");
    if (size < wire::batch_header_bytes)
        return refuse(ErrorCode::corrupt_message, "the record batch is smaller than its header");
    std::size_t more = 0;
    switch (look(bytes.subspan(size), more)) {
        case Found::nothing:
            break;
        case Found::garbage:
            return refuse(ErrorCode::corrupt_message, "the bytes after the batch are no batch");
        case Found::batch:
            return invalid("a partition takes one record batch in a request");
    }
    const BatchView batch{bytes};
    if (batch.codec_id() == static_cast<int>(compression::Codec::zstd) && !rules.zstd)
        return refuse(ErrorCode::unsupported_compression_type, "zstd needs Produce version 7");
    return std::nullopt;
}

// Java's reader of LZ4 takes only frames with independent blocks; what others stored, it could not
// read.
bool lz4_blocks_are_linked(const BatchView& batch) {
    constexpr std::array<std::uint8_t, 4> magic{0x04, 0x22, 0x4d, 0x18};
    constexpr int independent = 0x20;
    const Bytes records = batch.records();
    if (records.size() <= magic.size()) return false;
    for (std::size_t i = 0; i < magic.size(); ++i) {
        if (std::to_integer<std::uint8_t>(records[i]) != magic[i]) return false;
    }
    return (std::to_integer<int>(records[magic.size()]) & independent) == 0;
}

std::optional<AppendError> check_counts(const BatchView& batch) {
    if (batch.last_offset_delta() < 0) return invalid("the batch has an invalid range of offsets");
    if (batch.record_count() <= 0) return invalid("the batch has no records");
    if (std::int64_t{batch.last_offset_delta()} + 1 != batch.record_count())
        return invalid("the batch's range of offsets does not match its count of records");
    return std::nullopt;
}

// Without opening them: as many records as there is room for. Of compressed ones, in what may come
// out where they are opened.
std::optional<AppendError> check_room(const BatchView& batch, compression::Codec codec,
                                      const compression::Bounds& bounds) {
    // Its length, attributes, two deltas, the lengths of key and value, the count of its headers.
    constexpr std::size_t smallest_record = 7;
    std::size_t room = batch.records().size();
    if (codec != compression::Codec::none && room > 0)
        room = std::min(bounds.max_output, room * bounds.max_ratio + bounds.free_output);
    if (static_cast<std::size_t>(batch.record_count()) <= room / smallest_record)
        return std::nullopt;
    return invalid("the batch has no room for its count of records");
}

std::optional<AppendError> check_header(const BatchView& batch, const BatchRules& rules) {
    if (batch.base_offset().value != 0) return invalid("a client's batch begins at offset 0");
    if (batch.size() > rules.max_message_bytes)
        return refuse(ErrorCode::message_too_large,
                      "the batch has " + std::to_string(batch.size()) + " bytes, at most " +
                          std::to_string(rules.max_message_bytes) + " are accepted");
    if (!batch.crc_matches())
        return refuse(ErrorCode::corrupt_message, "the batch does not match its checksum");
    const auto codec = compression::codec_of(batch.codec_id());
    if (!codec)
        return refuse(ErrorCode::unsupported_compression_type, "the batch names no known codec");
    if (auto error = check_counts(batch)) return error;
    if (auto error = check_room(batch, *codec, rules.decompression)) return error;
    if (batch.control()) return invalid("clients do not write control records");
    if (batch.has_producer() && batch.base_sequence() < 0)
        return invalid("a producer's batch needs a sequence number");
    if (batch.has_producer() && batch.producer_epoch() < -1)
        return refuse(ErrorCode::invalid_producer_epoch, "no epoch is below -1");
    if (batch.transactional() && (!rules.transactions || !batch.has_producer()))
        return refuse(ErrorCode::transactional_id_authorization_failed,
                      "transactional batches are not accepted");
    if (*codec == compression::Codec::lz4 && lz4_blocks_are_linked(batch))
        return invalid("LZ4 blocks must be independent, or Java clients cannot read them");
    return std::nullopt;
}

// Record by record. Collects the guilty ones; a batch that cannot be walked is refused as a whole.
class Walk {
public:
    Walk(const BatchView& batch, const BatchRules& rules, TimeRange range)
        : batch_{batch}, rules_{rules}, range_{range} {}

    std::optional<AppendError> run() {
        const auto opened = OpenedRecords::open(batch_, rules_.decompression);
        if (!opened) return invalid(opened.error().what);
        auto reader = opened->reader();
        std::int32_t index = 0;
        for (; index < batch_.record_count() && !reader.at_end(); ++index) {
            auto record = reader.next();
            if (!record) return invalid(record.error().what);
            look_at(*record, index);
        }
        if (index < batch_.record_count()) return invalid("the batch has too few records");
        if (!reader.at_end()) return invalid("the batch has too many records");
        return verdict();
    }

    Timestamp max_timestamp() const { return max_; }

private:
    void look_at(const wire::Record& record, std::int32_t index) {
        const std::int64_t base = batch_.base_timestamp().value;
        std::int64_t timestamp = 0;
        if (__builtin_add_overflow(base, record.timestamp_delta, &timestamp))
            return blame(index, "the timestamp overflows", ErrorCode::invalid_timestamp);
        max_ = std::max(max_, Timestamp{timestamp});
        if (record.offset_delta != index)
            return blame(index, "offsets do not rise one by one", ErrorCode::invalid_record);
        if (rules_.compacted && !record.key)
            return blame(index, "a compacted topic needs keys", ErrorCode::invalid_record);
        if (!range_.holds(timestamp))
            blame(index,
                  "timestamp " + std::to_string(timestamp) + " is outside [" +
                      std::to_string(range_.from) + ", " + std::to_string(range_.to) + "]",
                  ErrorCode::invalid_timestamp);
    }

    void blame(std::int32_t index, std::string message, ErrorCode code) {
        if (code == ErrorCode::invalid_timestamp) timestamps_ = true;
        refused_ = true;
        if (errors_.size() < max_record_errors) errors_.push_back({index, std::move(message)});
    }

    std::optional<AppendError> verdict() {
        if (!refused_) return std::nullopt;
        AppendError error = timestamps_ ? refuse(ErrorCode::invalid_timestamp,
                                                 "records have timestamps that are not accepted")
                                        : invalid("records of the batch are not accepted");
        error.record_errors = std::move(errors_);
        return error;
    }

    const BatchView& batch_;
    const BatchRules& rules_;
    TimeRange range_;
    Timestamp max_{-1};
    bool refused_ = false;
    bool timestamps_ = false;
    std::vector<RecordError> errors_;
};

}  // namespace

Validated validate(std::optional<Bytes> records, const BatchRules& rules, Timestamp wall) {
    if (!records) return invalid("there are no records");
    std::size_t size = 0;
    if (auto error = check_framing(*records, rules, size)) return *std::move(error);
    const BatchView batch{records->first(size)};
    if (auto error = check_header(batch, rules)) return *std::move(error);

    const TimeRange range{rules, wall};
    // The base is the first record's, so that it tells a wrong maximum at no cost.
    const bool in_time = range.holds(batch.base_timestamp().value) &&
                         range.holds(batch.max_timestamp().value) &&
                         batch.max_timestamp() >= batch.base_timestamp();
    ValidBatch valid{.bytes = size};
    const bool create_time = rules.timestamp_type == TimestampType::create_time;
    if (create_time && batch.log_append_time())
        valid.corrected_max_timestamp = batch.max_timestamp();
    if (rules.validation == Validation::header && !rules.compacted && in_time) return valid;

    Walk walk{batch, rules, range};
    if (auto error = walk.run()) return *std::move(error);
    if (create_time && walk.max_timestamp() != batch.max_timestamp())
        valid.corrected_max_timestamp = walk.max_timestamp();
    return valid;
}

}  // namespace leat::log
