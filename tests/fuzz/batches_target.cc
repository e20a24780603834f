// Input: a byte of rules, then the records of one partition in a Produce request. With the highest
// bit the checksums are made right first, so that what lies behind them is reached.
#include "core/log/batch_validator.h"
#include "core/log/partition_log.h"
#include "core/log/time_lookup.h"
#include "core/wire/record_reader.h"
#include "leat/sdk/ensure.h"
#include "tests/fuzz/allocations.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/sealed_batches.h"

namespace leat::fuzz {
namespace {

using sdk::ensure;

constexpr sdk::Timestamp noon{1'700'000'000'000};
constexpr std::size_t max_output = 64u << 10;
// Decompressed records, what zlib or zstd needs meanwhile, sentences about guilty records.
constexpr std::size_t allowance = 16u << 20;

log::BatchRules rules_of(std::uint8_t byte) {
    log::BatchRules rules{
        .compacted = (byte & 1) != 0,
        .validation = (byte & 2) != 0 ? log::Validation::full : log::Validation::header,
        .transactions = (byte & 8) != 0,
        .zstd = (byte & 16) == 0};
    if ((byte & 4) != 0) rules.timestamp_type = log::TimestampType::log_append_time;
    if ((byte & 32) != 0) rules.timestamp_before_max_ms = 1000;
    rules.decompression.max_output = rules.decompression.free_output = max_output;
    return rules;
}

void walk_records(std::span<const std::byte> bytes) {
    wire::RecordReader reader{bytes};
    while (!reader.at_end()) {
        const std::size_t before = reader.remaining();
        const auto record = reader.next();
        if (!record) return;
        ensure(record->bytes != 0 && reader.remaining() + record->bytes == before,
               "a record takes its own bytes");
        wire::HeaderReader headers{*record};
        std::int32_t count = 0;
        while (headers.next()) ++count;
        ensure(count == record->header_count, "a record has as many headers as it says");
    }
}

// As a leader appends them.
void append(const log::BatchRules& rules, std::span<std::byte> records, bool valid) {
    log::PartitionLog partition{{.segment_bytes = 4000}};
    partition.open({}, std::nullopt, {});
    partition.lead({3});
    for (int i = 0; i < 2; ++i) {
        const auto outcome = partition.prepare(records, rules, noon);
        if (i == 0) {
            ensure(valid == !std::holds_alternative<log::AppendError>(outcome),
                   "what is valid can be appended");
        }
        const auto* prepared = std::get_if<log::Prepared>(&outcome);
        if (prepared == nullptr) return;
        const sdk::Offset end = partition.end();
        partition.appended(1);
        const wire::BatchView stored{prepared->batch.bytes};
        ensure(stored.is_whole() && stored.crc_matches(), "what is stored has its checksum");
        ensure(stored.base_offset() == end && stored.next_offset() == partition.end() &&
                   partition.end() > end,
               "a batch takes the offsets that follow");
        (void)log::first_not_older(stored, noon, {0}, rules.decompression);
        (void)log::newest(stored, rules.decompression);
        log::PartitionLog other{{}};
        other.open({{0}, partition.end(), partition.end()}, std::nullopt, {});
        other.replay(stored, noon);
        // A client writes offset 0.
        wire::MutableBatchView{records}.stamp({0}, {-1});
    }
}

}  // namespace

void batches(Input input) {
    Pieces pieces{input};
    const std::uint8_t settings = pieces.byte();
    const log::BatchRules rules = rules_of(settings);
    Bytes records = pieces.rest();
    walk_records(records);
    if ((settings & 128) != 0) make_checksums_right(records);
    bool valid = false;
    {
        const Allocations allocations;
        const auto validated = log::validate(records, rules, noon);
        ensure(allocations.bytes() <= allowance, "validation stays within its memory");
        if (const auto* batch = std::get_if<log::ValidBatch>(&validated)) {
            valid = true;
            ensure(batch->bytes <= records.size(), "a batch lies in its request");
            const wire::BatchView view{std::span{records}.first(batch->bytes)};
            ensure(view.is_whole() && view.crc_matches() && view.record_count() > 0,
                   "a valid batch is whole and has records");
        }
    }
    append(rules, records, valid);
}

}  // namespace leat::fuzz
