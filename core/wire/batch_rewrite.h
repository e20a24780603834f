// A batch of which records have gone, as compaction leaves it. What it says of its producer, leader
// epoch and offsets stays; its CRC is computed anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/wire/record_batch.h"

namespace leat::wire {

// What is other in it.
struct RewrittenFields {
    std::int32_t count = 0;
    Timestamp max_timestamp;
    std::optional<int> codec_id{};  // As BatchView::codec_id(); without, the batch's own.
    // Takes the place of the base timestamp, from which the records' deltas count (KIP-534).
    std::optional<Timestamp> delete_horizon{};
};

// `records` as the codec has them. Not more than a batch can hold (ensured).
std::vector<std::byte> rewritten_batch(const BatchView& original, const RewrittenFields& fields,
                                       std::span<const std::byte> records);

// Without any record: the header, as Kafka leaves it (DefaultRecordBatch.writeEmptyHeader).
std::vector<std::byte> emptied_batch(const BatchView& original);

}  // namespace leat::wire
