#include "segment_log.h"

#include <algorithm>

#include "batch_writes.h"

namespace leat::segment {
SegmentLog::SegmentLog(EngineState& engine, const sdk::PartitionId& id, std::uint64_t step,
                       bool exists, Recovered found)
    : engine_{engine},
      folder_{engine, folder_name(id), id.topic_id, exists},
      step_{step},
      widest_step_{step},
      segments_{std::move(found.segments)},
      begin_{found.begin},
      end_{found.end},
      flushed_{found.end} {
    for (Segment& segment : segments_) segment.index->shrink();
}

void SegmentLog::options_changed(const sdk::LogOptions& options) {
    step_ = std::max<std::uint64_t>(options.index_interval_bytes, engine_.options.index_step);
    widest_step_ = std::max(widest_step_, step_.load());
}

// An orderly end: indexes are written, so that the next start need not look at every batch.
SegmentLog::~SegmentLog() {
    if (!failed_) static_cast<void>(seal());
    for (const Segment& segment : segments_) {
        if (!failed_ && !segment.index_written) write_index(segment, Durable::no);
        engine_.files.forget(segment.key);
    }
    if (failed_ || segments_.empty()) return;
    engine_.checkpoints.note_flushed(folder_.name(), flushed_);
}

sdk::Error SegmentLog::refused() const {
    return {sdk::Errc::io, folder_.path() + " failed before and is not written to any more"};
}

sdk::LogBounds SegmentLog::bounds() const {
    const std::lock_guard lock{mutex_};
    return {.begin = {begin_}, .end = {end_}, .flushed = {flushed_}};
}

std::vector<sdk::Extent> SegmentLog::extents() const {
    const std::lock_guard lock{mutex_};
    std::vector<sdk::Extent> extents;
    extents.reserve(segments_.size());
    for (const Segment& segment : segments_) {
        if (segment.bytes == 0) continue;
        extents.push_back({.base = {segment.base},
                           .next = {segment.next},
                           .bytes = segment.bytes,
                           .max_timestamp = {segment.max_timestamp}});
    }
    return extents;
}

SegmentLog::Recent& SegmentLog::recent() {
    if (!recent_) recent_ = std::make_unique<Recent>();
    return *recent_;
}

sdk::Status SegmentLog::append(std::span<const sdk::StampedBatch> batches) {
    if (failed_) return refused();
    if (batches.empty()) return {};
    sdk::ensure(batches.front().base.value >= end_, "appended batches do not go back");
    std::uint64_t bytes = 0;
    for (const auto& batch : batches) bytes += batch.bytes.size();
    const std::int64_t first = batches.front().base.value;
    const std::int64_t next = batches.back().next.value;
    auto file = file_to_append(first, next, bytes);
    if (!file) return file.error();
    auto wrote = write(**file, segments_.back().bytes, batches);
    if (!wrote) return wrote;
    publish(batches);
    not_written_back_ += bytes;
    const std::uint64_t limit = engine_.options.writeback_bytes;
    if (limit != 0 && not_written_back_ >= limit) start_writeback(*file);
    return {};
}

sdk::Result<FilePointer> SegmentLog::file_to_append(std::int64_t first, std::int64_t next,
                                                    std::uint64_t bytes) {
    const bool fresh = segments_.empty() || sealed_ ||
                       !segments_.back().has_room_for(next, bytes) ||
                       (segments_.back().bytes != 0 &&
                        segments_.back().bytes + bytes > engine_.options.most_segment_bytes);
    if (fresh) return begin_segment(first, next, bytes);
    if (FilePointer open = active_.lock()) return open;
    auto opened = engine_.files.open(path(segments_.back(), ".log"), FileSystem::Open::existing);
    if (!opened) return opened.error();
    engine_.files.let_go(segments_.back().key);
    engine_.files.keep_active(segments_.back().key, *opened);
    const std::lock_guard lock{mutex_};
    active_ = *opened;
    return opened;
}

sdk::Result<FilePointer> SegmentLog::begin_segment(std::int64_t first, std::int64_t next,
                                                   std::uint64_t bytes) {
    if (auto made = folder_.make(); !made) return made.error();
    if (!segments_.empty() && segments_.back().bytes == 0) {
        // Made for an append that failed, and the offsets have moved on too far for its name.
        engine_.files.forget(segments_.back().key);
        engine_.system->unlink(path(segments_.back(), ".log"));
        const std::lock_guard lock{mutex_};
        segments_.pop_back();
        active_.reset();
    }
    Segment segment;
    segment.base = end_;
    if (!segment.has_room_for(next, bytes)) segment.base = first;
    if (!segment.has_room_for(next, bytes)) {
        return sdk::Error{sdk::Errc::unsupported, "one append has offsets too far apart, or over " +
                                                      std::to_string(Segment::most_bytes) +
                                                      " bytes"};
    }
    segment.next = segment.base;
    segment.key = engine_.next_key();
    // First, so that no crash finds room left in front of a segment.
    FilePointer ended = active_.lock();
    if (ended != nullptr) {
        const int error = engine_.system->finish(ended->descriptor());
        if (error < 0) return fail(failure(error, "end", path(segments_.back(), ".log"))).error();
    }
    auto opened = engine_.files.open(path(segment, ".log"), FileSystem::Open::fresh);
    if (!opened) return opened.error();
    engine_.files.keep_active(segment.key, *opened);

    const std::lock_guard lock{mutex_};
    folder_unsynced_ = true;
    if (!segments_.empty()) {
        Segment& last = segments_.back();
        if (!sealed_) last.close_index();
        engine_.files.let_go(last.key);
        if (ended != nullptr) engine_.files.keep(last.key, std::move(ended));
    } else {
        begin_ = std::max(begin_, segment.base);
    }
    active_ = *opened;
    segments_.push_back(std::move(segment));
    sealed_ = false;
    if (recent_) recent_->tail.clear();
    return opened;
}

sdk::Status SegmentLog::write(const OpenFile& file, std::uint64_t at,
                              std::span<const sdk::StampedBatch> batches) {
    const std::int64_t wrote = write_batches(file, at, batches);
    if (wrote > 0) return {};
    sdk::Error error = failure(wrote, "write", path(segments_.back(), ".log"));
    // A torn batch must not stay: the next append would be written behind it.
    const int cut = file.system().truncate(file.descriptor(), at);
    if (cut < 0 || error.code != sdk::Errc::no_space) return fail(std::move(error));
    return error;
}

void SegmentLog::publish(std::span<const sdk::StampedBatch> batches) {
    const sdk::Instant now = engine_.context.shard().now();
    const std::lock_guard lock{mutex_};
    Segment& segment = segments_.back();
    Recent& fresh = recent();
    fresh.last_append = now;
    for (const auto& batch : batches) {
        if (fresh.tail.size() == Recent::most_places) {
            fresh.tail.erase(fresh.tail.begin(), fresh.tail.begin() + Recent::most_places / 2);
        }
        fresh.tail.push_back({batch.base.value, batch.next.value, segment.bytes});
        segment.add({.base = batch.base.value,
                     .next = batch.next.value,
                     .size = batch.bytes.size(),
                     .max_timestamp = batch.max_timestamp.value},
                    step_);
    }
    end_ = segment.next;
}

void SegmentLog::start_writeback(const FilePointer& file) {
    const std::uint64_t size = not_written_back_;
    const std::uint64_t end = segments_.back().bytes;
    not_written_back_ = 0;
    sdk::Shard& shard = engine_.context.shard();
    shard.post([&shard, file, from = end - std::min(size, end), size] {
        shard.offload(
            [file, from, size] { file->system().start_writeback(file->descriptor(), from, size); },
            [] {});
    });
}

sdk::Status SegmentLog::seal() {
    const std::lock_guard lock{mutex_};
    if (segments_.empty() || segments_.back().bytes == 0 || sealed_) return {};
    segments_.back().close_index();
    sealed_ = true;
    return {};
}

sdk::Status SegmentLog::fail(sdk::Error error) {
    const std::lock_guard lock{mutex_};
    failed_ = true;
    if (error.code == sdk::Errc::no_space || error.code == sdk::Errc::not_found) {
        error.code = sdk::Errc::io;
    }
    return error;
}

}  // namespace leat::segment
