#include "walk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "leat/sdk/crc32c.h"

namespace leat::segment {
namespace {

constexpr std::size_t header_window = 4096;
constexpr std::size_t checksum_window = 256 * 1024;

// What a batch must be to follow those before it. The checksum covers neither offsets nor epoch.
const char* misfit(const BatchHeader& batch, const Segment& segment, std::int32_t newest_epoch) {
    if (batch.base < segment.next) return "offsets that go back";
    if (!segment.has_room_for(batch.next, batch.size)) return "an offset too far from its segment";
    if (batch.leader_epoch < newest_epoch) return "a leader epoch that goes back";
    return nullptr;
}

Walked walk_from(Window& window, Segment& segment, std::uint64_t step, Check check,
                 std::int32_t& newest_epoch) {
    Walked walked;
    walked.file_bytes = window.end();
    for (;;) {
        const Found found = check == Check::headers ? header_at(window, segment.bytes)
                                                    : whole_batch_at(window, segment.bytes);
        walked.error = found.error;
        if (found.kind == Found::Kind::damage) walked.damage = found.damage;
        if (found.kind != Found::Kind::batch) return walked;
        walked.damage = misfit(found.header, segment, newest_epoch);
        if (walked.damage != nullptr) return walked;
        newest_epoch = std::max(newest_epoch, found.header.leader_epoch);
        segment.add(found.header, step);
    }
}

}  // namespace

std::int64_t Window::get(std::uint64_t at, std::size_t size, std::span<const std::byte>& out) {
    size = static_cast<std::size_t>(std::min<std::uint64_t>({size, buffer_.size(), end_ - at}));
    if (at < start_ || at > start_ + filled_) {
        start_ = at;
        filled_ = 0;
    }
    if (at + size > start_ + filled_) {
        // Keep what is there already and fill the buffer behind it.
        const auto skipped = static_cast<std::size_t>(at - start_);
        std::memmove(buffer_.data(), buffer_.data() + skipped, filled_ - skipped);
        start_ = at;
        filled_ -= skipped;
        while (filled_ < size) {
            const auto room = static_cast<std::size_t>(
                std::min<std::uint64_t>(buffer_.size() - filled_, end_ - start_ - filled_));
            const auto rest = buffer_.subspan(filled_, room);
            FileSystem& system = file_.system();
            const std::int64_t got =
                may_ == May::wait ? system.read(file_.descriptor(), rest, start_ + filled_)
                                  : system.read_resident(file_.descriptor(), rest,
                                                         start_ + filled_);
            if (got < 0) return got;
            if (got == 0) break;  // Shorter than it was: somebody else's hand.
            filled_ += static_cast<std::size_t>(got);
        }
    }
    const auto skipped = static_cast<std::size_t>(at - start_);
    out = std::span{buffer_}.subspan(skipped, std::min(size, filled_ - skipped));
    return 0;
}

Found header_at(Window& window, std::uint64_t position) {
    if (position >= window.end()) return {.kind = Found::Kind::end};
    std::span<const std::byte> bytes;
    if (const auto error = window.get(position, BatchHeader::bytes, bytes); error < 0) {
        if (error == -EAGAIN) return {.kind = Found::Kind::would_wait};
        return {.kind = Found::Kind::failed, .error = error};
    }
    if (bytes.size() < BatchHeader::bytes) {
        return {.kind = Found::Kind::damage, .damage = "a header that is cut off"};
    }
    const auto header = BatchHeader::parse(bytes);
    if (!header) return {.kind = Found::Kind::damage, .damage = "bytes that are no batch header"};
    if (header->size > window.end() - position) {
        return {.kind = Found::Kind::damage, .damage = "a batch that is cut off"};
    }
    return {.kind = Found::Kind::batch, .header = *header};
}

Found whole_batch_at(Window& window, std::uint64_t position) {
    Found found = header_at(window, position);
    if (found.kind != Found::Kind::batch) return found;
    std::uint32_t crc = 0;
    std::uint64_t at = position + BatchHeader::crc_covers_from;
    const std::uint64_t end = position + found.header.size;
    while (at < end) {
        std::span<const std::byte> bytes;
        const auto wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(end - at, window.capacity()));
        if (const auto error = window.get(at, wanted, bytes); error < 0) {
            return {.kind = Found::Kind::failed, .error = error};
        }
        if (bytes.empty()) {
            return {.kind = Found::Kind::damage, .damage = "a batch that is cut off"};
        }
        crc = sdk::crc32c(bytes, crc);
        at += bytes.size();
    }
    if (crc != found.header.crc) {
        return {.kind = Found::Kind::damage, .damage = "a checksum that does not match"};
    }
    return found;
}

Walked walk(const OpenFile& file, Segment& segment, std::uint64_t step, Check check,
            std::int32_t& newest_epoch) {
    const std::int64_t size = file.system().size(file.descriptor());
    if (size < 0) return {.error = size};
    segment.next = segment.base;
    segment.bytes = 0;
    segment.max_timestamp = segment.max_timestamp_last = -1;
    segment.since_place = 0;
    segment.index = std::make_shared<SparseIndex>();
    std::vector<std::byte> buffer(check == Check::headers ? header_window : checksum_window);
    Window window{file, static_cast<std::uint64_t>(size), buffer, Window::May::wait};
    return walk_from(window, segment, step, check, newest_epoch);
}

Walked walk_tail(const OpenFile& file, Segment& segment, std::uint64_t step, std::uint64_t size) {
    const auto& places = segment.index->places();
    const auto& times = segment.index->times();
    segment.bytes = places.empty() ? 0 : places.back().position;
    segment.next = segment.base;
    segment.since_place = 0;
    segment.max_timestamp = segment.max_timestamp_last = -1;
    if (!times.empty()) {
        segment.max_timestamp = times.back().timestamp;
        segment.max_timestamp_last = segment.base + times.back().last;
    }
    std::vector<std::byte> buffer(header_window);
    Window window{file, size, buffer, Window::May::wait};
    if (!places.empty()) {
        const Found found = header_at(window, segment.bytes);
        if (found.kind == Found::Kind::failed) return {.error = found.error};
        if (found.kind != Found::Kind::batch ||
            found.header.next - 1 != segment.base + places.back().last) {
            return {.file_bytes = window.end(), .damage = "an index that names no batch"};
        }
    }
    std::int32_t any_epoch = -1;
    return walk_from(window, segment, step, Check::headers, any_epoch);
}

}  // namespace leat::segment
