// A Fetch response around records that are sent from where they are: memory of a log, a range of a
// file. The frame is laid out with gaps; the sender puts `bytes` up to the first gap, then that
// partition's slices, and so on, into one gather write, and copies no record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/messages/fetch.h"

namespace leat::wire {

// `bytes` bytes of records belong in front of FetchFrame::bytes[position].
struct RecordsGap {
    std::size_t position = 0;
    std::size_t bytes = 0;
    std::size_t topic = 0;  // Index into responses, and into the partitions of that one.
    std::size_t partition = 0;

    bool operator==(const RecordsGap&) const = default;
};

struct FetchFrame {
    Buffer bytes;                  // Size, response header and body without the gaps.
    std::vector<RecordsGap> gaps;  // Ascending; one per partition with external_bytes.
};

// The gaps count in the size in front. Records that are neither external nor given are sent as
// empty, not as null, which some clients do not expect. Fails as encode() does.
Result<FetchFrame> layout_fetch_response(const FetchResponse& response, Version version,
                                         std::int32_t correlation_id);

}  // namespace leat::wire
