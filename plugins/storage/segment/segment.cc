#include "segment.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace leat::segment {
namespace {

constexpr std::size_t place_bytes = 8;
constexpr std::size_t time_bytes = 12;

template <class Number>
void put(std::vector<std::byte>& out, Number number) {
    const auto value = static_cast<std::uint64_t>(number);
    for (std::size_t i = sizeof(Number); i-- != 0;) {
        out.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
}

// At most one time for each place, and the last one: what older_than() needs of a denser file.
std::vector<SparseIndex::Time> thinned(const std::vector<SparseIndex::Time>& times,
                                       const std::vector<SparseIndex::Place>& places) {
    std::vector<SparseIndex::Time> kept;
    auto place = places.begin();
    for (std::size_t i = 0; i < times.size(); ++i) {
        const bool last = i + 1 == times.size();
        while (place != places.end() && place->last < times[i].last) ++place;
        if (last || (place != places.end() && place->last < times[i + 1].last)) {
            kept.push_back(times[i]);
        }
    }
    return kept;
}

}  // namespace

void SparseIndex::add_time(Time time) {
    if (time.timestamp < 0) return;
    if (!times_.empty() && time.timestamp <= times_.back().timestamp) return;
    times_.push_back(time);
}

std::uint32_t SparseIndex::before_offset(std::int64_t offset) const {
    const auto after = std::partition_point(places_.begin(), places_.end(),
                                            [&](const Place& p) { return p.last <= offset; });
    return after == places_.begin() ? 0 : std::prev(after)->position;
}

std::uint32_t SparseIndex::before_position(std::uint64_t position) const {
    const auto after = std::partition_point(places_.begin(), places_.end(),
                                            [&](const Place& p) { return p.position <= position; });
    return after == places_.begin() ? 0 : std::prev(after)->position;
}

std::optional<std::uint32_t> SparseIndex::older_than(std::int64_t timestamp) const {
    const auto after = std::partition_point(times_.begin(), times_.end(),
                                            [&](const Time& t) { return t.timestamp < timestamp; });
    if (after == times_.begin()) return std::nullopt;
    return std::prev(after)->last;
}

void SparseIndex::cut(std::uint64_t position, std::int64_t last) {
    std::erase_if(places_, [&](const Place& p) { return p.position >= position; });
    std::erase_if(times_, [&](const Time& t) { return t.last >= last; });
}

void SparseIndex::shrink() {
    places_.shrink_to_fit();
    times_.shrink_to_fit();
}

std::vector<std::byte> SparseIndex::place_file() const {
    std::vector<std::byte> out;
    out.reserve(places_.size() * place_bytes);
    for (const Place& place : places_) {
        put(out, place.last);
        put(out, place.position);
    }
    return out;
}

std::vector<std::byte> SparseIndex::time_file() const {
    std::vector<std::byte> out;
    out.reserve(times_.size() * time_bytes);
    for (const Time& time : times_) {
        put(out, time.timestamp);
        put(out, time.last);
    }
    return out;
}

std::optional<SparseIndex> SparseIndex::parse(std::span<const std::byte> place_file,
                                              std::span<const std::byte> time_file,
                                              std::uint64_t size, std::uint64_t step) {
    if (place_file.size() % place_bytes != 0 || time_file.size() % time_bytes != 0) return {};
    SparseIndex index;
    std::optional<Place> before;
    for (std::size_t at = 0; at < place_file.size(); at += place_bytes) {
        const Place place{big_endian<std::uint32_t>(place_file, at),
                          big_endian<std::uint32_t>(place_file, at + 4)};
        if (place.position == 0 || place.position >= size) return {};
        if (place.last > Segment::most_offsets) return {};
        if (before && (place.last <= before->last || place.position <= before->position)) return {};
        const std::uint64_t kept = index.places_.empty() ? 0 : index.places_.back().position;
        if (place.position - kept >= step) index.places_.push_back(place);
        before = place;
    }
    std::optional<Time> newest;
    for (std::size_t at = 0; at < time_file.size(); at += time_bytes) {
        const Time time{big_endian<std::int64_t>(time_file, at),
                        big_endian<std::uint32_t>(time_file, at + 8)};
        if (time.timestamp < 0 || time.last > Segment::most_offsets) return {};
        if (newest && (time.timestamp <= newest->timestamp || time.last <= newest->last)) return {};
        index.times_.push_back(time);
        newest = time;
    }
    index.times_ = thinned(index.times_, index.places_);
    return index;
}

void Segment::add(const BatchHeader& batch, std::uint64_t step) {
    if (batch.max_timestamp > max_timestamp) {
        max_timestamp = batch.max_timestamp;
        max_timestamp_last = batch.next - 1;
    }
    if (since_place > step) {
        index->add_place({relative(batch.next - 1), static_cast<std::uint32_t>(bytes)});
        if (max_timestamp >= 0) index->add_time({max_timestamp, relative(max_timestamp_last)});
        since_place = 0;
    }
    bytes += batch.size;
    since_place += batch.size;
    next = batch.next;
    index_written = false;
}

void Segment::close_index() {
    if (max_timestamp >= 0) index->add_time({max_timestamp, relative(max_timestamp_last)});
    index->shrink();
}

std::string segment_file(std::int64_t base, const char* extension) {
    char name[64];
    std::snprintf(name, sizeof name, "%020" PRId64 "%s", base, extension);
    return name;
}

}  // namespace leat::segment
