// Decides whether what a client sent for one partition may be appended: the checks of Kafka's
// broker with Kafka's error codes, so that clients of Kafka react as they were built to. A pure
// function: it changes nothing and keeps nothing.
//
// Cost: the header and the CRC. Records are walked only where the topic asks for it (compacted, or
// Validation::full), and to name the guilty ones once a batch is refused. A count for which the
// batch has no room is seen without; one that is too small, or too large by a little, is not.
//
// Where Kafka fails in the middle of its work (-1: an unknown codec, compressed garbage; no answer
// at all: null records) a code is given that says what is wrong. Transactional batches that are not
// taken get what Kafka answers to those without a transactional id, 53.
//
// Seen on Apache Kafka 4.4: of the bytes after the batch, those that cannot hold another one are
// cut off and forgotten; another batch is refused. A client writes base offset 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/compression/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/record_batch.h"

namespace leat::log {

using sdk::LeaderEpoch;
using sdk::Offset;
using sdk::Timestamp;

enum class TimestampType { create_time, log_append_time };
enum class Validation { header, full };

// A topic's rules, as its configuration says.
struct BatchRules {
    std::size_t max_message_bytes = 1'048'588;  // `max.message.bytes`: of the whole batch.
    TimestampType timestamp_type = TimestampType::create_time;
    // `message.timestamp.before.max.ms` and `.after.max.ms`, around the broker's wall clock.
    std::int64_t timestamp_before_max_ms = std::numeric_limits<std::int64_t>::max();
    std::int64_t timestamp_after_max_ms = 3'600'000;
    bool compacted = false;  // A record needs a key.
    Validation validation = Validation::header;
    bool transactions = false;  // Whether transactional batches are taken.
    bool zstd = true;           // Not before Produce v7 (KIP-110).
    compression::Bounds decompression{};
};

// As in a Produce answer, v8 and later (KIP-467).
struct RecordError {
    std::int32_t batch_index = 0;
    std::string message;

    bool operator==(const RecordError&) const = default;
};

struct AppendError {
    wire::ErrorCode code = wire::ErrorCode::none;
    std::string message;
    std::vector<RecordError> record_errors{};
};

// At most so many records of a refused batch are named.
constexpr std::size_t max_record_errors = 100;

struct ValidBatch {
    std::size_t bytes = 0;  // The batch is the first so many bytes of what was given.
    // With CreateTime, set if the header has to be corrected: its maximum is not that of the
    // records (as far as they were walked), or it says LogAppendTime.
    std::optional<Timestamp> corrected_max_timestamp{};
};

using Validated = std::variant<ValidBatch, AppendError>;

// `records` is the field of the Produce request, absent if null. `wall` is the broker's wall clock.
Validated validate(std::optional<std::span<const std::byte>> records, const BatchRules& rules,
                   Timestamp wall);

}  // namespace leat::log
