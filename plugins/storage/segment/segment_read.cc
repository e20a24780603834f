#include <algorithm>
#include <cerrno>

#include "segment_log.h"

namespace leat::segment {
namespace {

constexpr std::size_t most_bytes_per_read = 1u << 30;
constexpr std::size_t walk_window = 4096;
constexpr std::size_t bring_in_chunk = 64 * 1024;
// Pages that were written so lately are taken to be in the cache still.
constexpr std::chrono::seconds fresh_for{10};

}  // namespace

// The first segment with batches at or above `offset`.
std::size_t SegmentLog::segment_of(std::int64_t offset) const {
    const auto found =
        std::partition_point(segments_.begin(), segments_.end(),
                             [&](const Segment& segment) { return segment.next <= offset; });
    return static_cast<std::size_t>(found - segments_.begin());
}

sdk::Result<sdk::ReadAnswer> SegmentLog::read(sdk::Offset from, sdk::Offset below,
                                              std::size_t max_bytes) {
    const std::lock_guard lock{mutex_};
    if (from.value < begin_ || from.value > end_) {
        return sdk::Error{sdk::Errc::out_of_range, "no such offset is held"};
    }
    max_bytes = std::min(max_bytes, most_bytes_per_read);
    sdk::ReadAnswer answer;
    if (from.value == end_) return answer;
    std::uint64_t taken = 0;
    for (std::size_t i = segment_of(from.value); i < segments_.size(); ++i) {
        const Segment& segment = segments_[i];
        if (segment.bytes == 0 || segment.base >= below.value) break;
        const Wanted wanted{.from = from.value,
                            .below = below.value,
                            .bytes = max_bytes - std::min<std::uint64_t>(max_bytes, taken),
                            .first = taken == 0};
        Range range = locate(segment, wanted);
        if (range.kind == Range::Kind::failed) return range.error;
        if (range.kind == Range::Kind::would_wait) {
            if (taken == 0) answer.bring_in = bring_in(segment, wanted, range);
            break;
        }
        const std::uint64_t size = range.end - range.start;
        if (size != 0) {
            const int descriptor = range.file->descriptor();
            answer.slices.emplace_back(sdk::FileSlice{std::move(range.file), descriptor,
                                                      range.start, static_cast<std::size_t>(size)});
        }
        taken += size;
        if (range.end != segment.bytes || taken >= max_bytes) break;
    }
    return answer;
}

SegmentLog::Range SegmentLog::locate(const Segment& segment, const Wanted& wanted) {
    Range range;
    if (auto error = engine_.files.take_failure(segment.key)) {
        range.kind = Range::Kind::failed;
        range.error = std::move(*error);
        return range;
    }
    const bool active = &segment == &segments_.back();
    range.file = active ? active_.lock() : segment.unnamed;
    if (range.file == nullptr) range.file = engine_.files.find(segment.key);
    if (range.file == nullptr) {
        range.kind = Range::Kind::would_wait;
        return range;
    }
    if (active && locate_in_tail(segment, wanted, range)) return range;
    locate_by_index(segment, wanted, range);
    if (range.kind != Range::Kind::found) return range;
    const std::uint64_t size = range.end - range.start;
    if (!range.file->system().resident(range.file->descriptor(), range.start, size)) {
        range.kind = Range::Kind::would_wait;
    }
    return range;
}

// The last batches, without a call to the system.
bool SegmentLog::locate_in_tail(const Segment& segment, const Wanted& wanted, Range& range) const {
    if (!recent_ || recent_->tail.empty()) return false;
    const auto& tail = recent_->tail;
    if (wanted.from < tail.front().base) return false;
    if (engine_.context.shard().now() - recent_->last_append > fresh_for) return false;
    auto place = std::partition_point(
        tail.begin(), tail.end(), [&](const Recent::Place& p) { return p.next <= wanted.from; });
    if (place == tail.end()) return false;
    range.start = range.end = place->position;
    bool first = wanted.first;
    for (; place != tail.end() && place->base < wanted.below; ++place) {
        const std::uint64_t end =
            std::next(place) == tail.end() ? segment.bytes : std::next(place)->position;
        if (!first && end - range.start > wanted.bytes) break;
        range.end = end;
        first = false;
    }
    return true;
}

std::uint64_t SegmentLog::walk_start(const Segment& segment, std::int64_t from) const {
    if (recent_) {
        for (const Recent::Hint& hint : recent_->hints) {
            if (hint.key == segment.key && hint.offset == from) return hint.position;
        }
    }
    return segment.index->before_offset(from - segment.base);
}

void SegmentLog::locate_by_index(const Segment& segment, const Wanted& wanted, Range& range) {
    std::array<std::byte, walk_window> buffer;
    Window window{*range.file, segment.bytes, buffer, Window::May::not_wait};
    range.start = walk_start(segment, wanted.from);
    // To the batch that holds `from`, or the next one.
    Found found;
    for (;; range.start += found.header.size) {
        found = header_at(window, range.start);
        if (found.kind != Found::Kind::batch || found.header.next > wanted.from) break;
    }
    range.end = range.start;
    if (found.kind == Found::Kind::would_wait) {
        range.kind = Range::Kind::would_wait;
        return;
    }
    if (found.kind != Found::Kind::batch) {
        range.kind = Range::Kind::failed;
        range.error =
            found.kind == Found::Kind::failed
                ? failure(found.error, "read", path(segment, ".log"))
                : sdk::Error{sdk::Errc::corrupt, path(segment, ".log") + " has " + found.damage +
                                                     " at position " + std::to_string(range.start)};
        return;
    }
    if (found.header.base >= wanted.below) return;
    if (found.header.size > wanted.bytes) {
        if (wanted.first) range.end += found.header.size;
        if (wanted.first) remember(segment, found.header.next, range.end);
        return;
    }
    if (wanted.below >= segment.next && segment.bytes - range.start <= wanted.bytes) {
        range.end = segment.bytes;
        return;
    }
    range.end += found.header.size;
    if (!walk_to(window, segment, wanted, range)) range.kind = Range::Kind::would_wait;
}

// From a batch boundary at range.end to the last one that is wanted. A boundary known to the index
// saves most of the way.
bool SegmentLog::walk_to(Window& window, const Segment& segment, const Wanted& wanted,
                         Range& range) {
    const std::uint64_t by_bytes = segment.index->before_position(range.start + wanted.bytes);
    const std::uint64_t by_offset = segment.index->before_offset(wanted.below - 1 - segment.base);
    range.end = std::max(range.end, std::min(by_bytes, by_offset));
    while (range.end < segment.bytes) {
        const Found found = header_at(window, range.end);
        // Damage shows itself to the reader who asks for it.
        if (found.kind == Found::Kind::would_wait) return false;
        if (found.kind != Found::Kind::batch) return true;
        const std::uint64_t end = range.end + found.header.size;
        if (found.header.base >= wanted.below || end - range.start > wanted.bytes) {
            remember(segment, found.header.base, range.end);
            return true;
        }
        range.end = end;
    }
    return true;
}

void SegmentLog::remember(const Segment& segment, std::int64_t offset, std::uint64_t position) {
    Recent& fresh = recent();
    fresh.hints[fresh.next_hint] = {segment.key, offset, position};
    fresh.next_hint = (fresh.next_hint + 1) % fresh.hints.size();
}

// Reads what the next attempt will look at: the way to the batches and the batches.
sdk::Task SegmentLog::bring_in(const Segment& segment, const Wanted& wanted, const Range& range) {
    const std::uint64_t start =
        range.end > range.start ? range.start : walk_start(segment, wanted.from);
    std::uint64_t end = std::max(range.start + wanted.bytes, range.end) + widest_step_;
    end = std::min(end, segment.bytes);
    return [engine = engine_.shared_from_this(), file = range.file, key = segment.key,
            name = path(segment, ".log"), start, end] {
        FilePointer opened = file;
        if (opened == nullptr) {
            auto found = engine->files.find_or_open(key, name);
            if (!found) return engine->files.note_failure(key, found.error());
            opened = *found;
        }
        FileSystem& system = opened->system();
        system.read_ahead(opened->descriptor(), start, end - start);
        std::vector<std::byte> buffer(bring_in_chunk);
        for (std::uint64_t at = start; at < end;) {
            const std::int64_t got = system.read(opened->descriptor(), buffer, at);
            if (got <= 0) {
                return engine->files.note_failure(
                    key, got < 0 ? failure(got, "read", name)
                                 : sdk::Error{sdk::Errc::corrupt, name + " became shorter"});
            }
            at += static_cast<std::uint64_t>(got);
        }
    };
}

std::optional<sdk::Offset> SegmentLog::seek(sdk::Timestamp not_before) const {
    const std::lock_guard lock{mutex_};
    for (const Segment& segment : segments_) {
        if (segment.bytes == 0 || segment.next <= begin_) continue;
        if (segment.max_timestamp < not_before.value) continue;
        std::int64_t offset = segment.base;
        if (const auto older = segment.index->older_than(not_before.value)) offset += *older;
        return sdk::Offset{std::max(offset, begin_)};
    }
    return std::nullopt;
}

}  // namespace leat::segment
