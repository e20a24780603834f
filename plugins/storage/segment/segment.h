// One segment file as the engine knows it, and its sparse index.
//
// The index says for some batches, at least `step` bytes apart, where they begin. On disk it is
// Kafka's: `.index` holds (last offset - base, position) pairs of 4 + 4 bytes, `.timeindex`
// (timestamp, last offset of its batch - base) of 8 + 4, each pair above the one before. In memory
// it has the same entries, about 0.5 MB for 1 GiB of log at 32 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch_header.h"

namespace leat::segment {

class OpenFile;

class SparseIndex {
public:
    struct Place {
        std::uint32_t last;  // Last offset of the batch that begins at `position`, minus the base.
        std::uint32_t position;
    };
    struct Time {
        std::int64_t timestamp;  // The largest of all batches up to the place added beside it.
        std::uint32_t last;      // Last offset of the batch that has it, minus the base.
    };

    void add_place(Place place) { places_.push_back(place); }
    void add_time(Time time);  // Left out unless it is newer than the one before.

    // Where to begin a walk that looks for `offset` (relative): a batch at or before it.
    std::uint32_t before_offset(std::int64_t offset) const;
    // The last known batch boundary at or before a position.
    std::uint32_t before_position(std::uint64_t position) const;
    // Relative offset up to which every batch is older than `timestamp`.
    std::optional<std::uint32_t> older_than(std::int64_t timestamp) const;

    // Forgets batches at or behind `position`, and with them offsets from `last` on.
    void cut(std::uint64_t position, std::int64_t last);

    const std::vector<Place>& places() const { return places_; }
    const std::vector<Time>& times() const { return times_; }
    void shrink();

    std::vector<std::byte> place_file() const;
    std::vector<std::byte> time_file() const;
    // Nothing if the files cannot belong to a segment of `size` bytes that was closed. (A running
    // Kafka preallocates 10 MiB of zeros: those are refused.) Places nearer than `step` are left
    // out.
    static std::optional<SparseIndex> parse(std::span<const std::byte> place_file,
                                            std::span<const std::byte> time_file,
                                            std::uint64_t size, std::uint64_t step);

private:
    std::vector<Place> places_;
    std::vector<Time> times_;
};

struct Segment {
    // Offsets in an index are 32 bits, positions in Kafka are signed.
    static constexpr std::int64_t most_offsets = INT32_MAX;
    static constexpr std::uint64_t most_bytes = INT32_MAX;

    std::uint64_t key = 0;  // Number of this segment in this run, for OpenFiles.
    std::int64_t base = 0;  // In its file's name; its first batch may begin later.
    std::int64_t next = 0;  // Equal to base while it is empty.
    std::uint64_t bytes = 0;
    std::int64_t max_timestamp = -1;
    std::int64_t max_timestamp_last = -1;  // Last offset of the batch that has it.
    std::uint64_t since_place = 0;
    bool index_written = false;
    std::shared_ptr<OpenFile> unnamed{};  // Its file while that is called otherwise: see replace().
    // Also held by a flush that is writing it: it never changes once its segment is sealed.
    std::shared_ptr<SparseIndex> index = std::make_shared<SparseIndex>();

    void add(const BatchHeader& batch, std::uint64_t step);
    void close_index();  // Kafka ends a time index with the newest timestamp of its segment.
    bool has_room_for(std::int64_t next_offset, std::uint64_t more_bytes) const {
        return next_offset - base <= most_offsets && bytes + more_bytes <= most_bytes;
    }
    std::uint32_t relative(std::int64_t offset) const {
        return static_cast<std::uint32_t>(offset - base);
    }
};

// "00000000000000000042.log"
std::string segment_file(std::int64_t base, const char* extension);

}  // namespace leat::segment
