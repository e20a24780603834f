// From a partition's folder to its segments: what is trusted, what is checked, what is cut off.
//
// After a clean stop the indexes are trusted, once they fit their segments, and only what follows
// the last index entry is looked at. After anything else, and for a folder that was copied here,
// every batch is checked from the segment that holds the recovery point on. The first bad one
// above it ends the log: what follows was never promised to anybody. A bad one below it is
// Errc::corrupt, and then nothing is touched.
//
// What was found to be good is synced before anybody may read it: bytes that a crashed process
// left in the page cache may be gone after the next power cut.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leat/sdk/result.h"
#include "engine_state.h"
#include "segment.h"

namespace leat::segment {

struct Recovered {
    std::vector<Segment> segments;  // In order; none is empty, but perhaps the last.
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// [worker] `name` is that of a folder that is there.
sdk::Result<Recovered> recover(EngineState& engine, const std::string& name, std::uint64_t step);

// [worker] Unlinks a segment's files. Missing ones are fine.
sdk::Status remove_segment_files(FileSystem& system, const std::string& folder, std::int64_t base);

}  // namespace leat::segment
