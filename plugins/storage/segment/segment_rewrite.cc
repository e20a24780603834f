// Whole segments replaced by one, by the names that Kafka gives such files (LogCleaner,
// UnifiedLog.replaceSegments; LogLoader recovers from them, and recovery.cc as it does):
//
//   <base>.log.cleaned   is being written; a start removes it
//   <base>.log.swap      is whole and synced, and the name is synced too: from here on the new one
//                        holds, and a start finishes what follows
//   the old files go, and that is synced before
//   <base>.log           it gets its name: old and new files that overlap are never found together
#include <algorithm>
#include <cerrno>

#include "batch_writes.h"
#include "segment_log.h"

namespace leat::segment {

class SegmentLog::Rewriting final : public sdk::Rewrite {
public:
    Rewriting(SegmentLog& log, Segment segment, std::vector<std::uint64_t> old_keys,
              std::int64_t end, FilePointer file)
        : log_{log},
          segment_{std::move(segment)},
          old_keys_{std::move(old_keys)},
          end_{end},
          file_{std::move(file)} {}
    ~Rewriting() override {
        if (!kept_) log_.engine_.system->unlink(name());
        log_.rewriting_ = false;
    }

    sdk::Status append(std::span<const sdk::StampedBatch> batches) override {
        if (batches.empty()) return {};
        std::uint64_t bytes = 0;
        for (const auto& batch : batches) bytes += batch.bytes.size();
        const bool within =
            batches.front().base.value >= segment_.next && batches.back().next.value <= end_;
        if (!within) return sdk::Error{sdk::Errc::invalid_argument, "offsets out of the range"};
        if (!segment_.has_room_for(end_, bytes)) {
            return sdk::Error{sdk::Errc::limit, name() + " would be larger than a segment can be"};
        }
        const std::int64_t wrote = write_batches(*file_, segment_.bytes, batches);
        if (wrote <= 0) return failure(wrote, "write", name());
        for (const auto& batch : batches) {
            segment_.add({.base = batch.base.value,
                          .next = batch.next.value,
                          .size = batch.bytes.size(),
                          .max_timestamp = batch.max_timestamp.value},
                         log_.step_);
        }
        file_->system().start_writeback(file_->descriptor(), segment_.bytes - bytes, bytes);
        return {};
    }

    sdk::Status flush() override {
        if (segment_.bytes == synced_) return {};
        const int error = file_->system().sync(file_->descriptor());
        if (error < 0) return failure(error, "sync", name());
        synced_ = segment_.bytes;
        return {};
    }

    sdk::Status commit() override {
        if (segment_.bytes == 0 || segment_.next != end_) {
            return sdk::Error{sdk::Errc::invalid_argument, "the last offsets are missing"};
        }
        if (!log_.holds(old_keys_, segment_.base, end_)) {
            return sdk::Error{sdk::Errc::conflict, name() + " replaces what has gone since"};
        }
        if (log_.failed_) return log_.refused();
        if (auto synced = flush(); !synced) return log_.fail(synced.error());
        segment_.close_index();
        kept_ = true;
        return log_.replace(segment_, old_keys_, file_);
    }

private:
    std::string name() const { return log_.path(segment_, ".log.cleaned"); }

    SegmentLog& log_;
    Segment segment_;  // As it will be.
    const std::vector<std::uint64_t> old_keys_;
    const std::int64_t end_;
    const FilePointer file_;
    std::uint64_t synced_ = 0;
    bool kept_ = false;
};

sdk::Result<std::unique_ptr<sdk::Rewrite>> SegmentLog::rewrite(sdk::Offset begin, sdk::Offset end) {
    if (failed_) return refused();
    Segment fresh;
    fresh.base = fresh.next = begin.value;
    std::vector<std::uint64_t> keys;
    {
        const std::lock_guard lock{mutex_};
        for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
            const Segment& segment = segments_[i];
            if (segment.base >= begin.value && segment.next <= end.value) {
                keys.push_back(segment.key);
            }
        }
        if (end.value > flushed_) keys.clear();
    }
    if (!holds(keys, begin.value, end.value)) {
        return sdk::Error{sdk::Errc::invalid_argument,
                          "no durable extents in front of the last one span this range"};
    }
    if (rewriting_.exchange(true)) {
        return sdk::Error{sdk::Errc::unavailable, folder_.path() + " is being rewritten"};
    }
    fresh.key = engine_.next_key();
    auto file = engine_.files.open(path(fresh, ".log.cleaned"), FileSystem::Open::fresh);
    if (!file) {
        rewriting_ = false;
        return file.error();
    }
    return std::unique_ptr<sdk::Rewrite>{std::make_unique<Rewriting>(
        *this, std::move(fresh), std::move(keys), end.value, std::move(*file))};
}

// Whether these segments, one behind the other and all in front of the last, span [begin, end).
bool SegmentLog::holds(const std::vector<std::uint64_t>& keys, std::int64_t begin,
                       std::int64_t end) const {
    const std::lock_guard lock{mutex_};
    if (keys.empty() || keys.size() >= segments_.size()) return false;
    const auto first = std::ranges::find(segments_, keys.front(), &Segment::key);
    const auto left = static_cast<std::size_t>(segments_.end() - first);
    if (first == segments_.end() || left <= keys.size()) return false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (first[static_cast<std::ptrdiff_t>(i)].key != keys[i]) return false;
    }
    return first->base == begin && first[static_cast<std::ptrdiff_t>(keys.size()) - 1].next == end;
}

// The new one is readable under its number, whatever its file is called, before the old ones go.
sdk::Status SegmentLog::replace(const Segment& made, const std::vector<std::uint64_t>& old_keys,
                                const FilePointer& file) {
    FileSystem& system = *engine_.system;
    const std::string swap = path(made, ".log.swap");
    if (auto done = rename_durably(path(made, ".log.cleaned"), swap); !done)
        return fail(done.error());
    std::vector<Segment> old;
    {
        const std::lock_guard lock{mutex_};
        const auto first = std::ranges::find(segments_, old_keys.front(), &Segment::key);
        const auto last = first + static_cast<std::ptrdiff_t>(old_keys.size());
        old.assign(first, last);
        segments_.insert(segments_.erase(first, last), made)->unnamed = file;
    }
    for (const Segment& segment : old) {
        engine_.files.forget(segment.key);
        auto gone = remove_segment_files(system, folder_.path(), segment.base);
        if (!gone) return fail(gone.error());
    }
    if (const int error = system.sync_folder(folder_.path()); error < 0) {
        return fail(failure(error, "sync", folder_.path()));
    }
    if (auto done = rename_durably(swap, path(made, ".log")); !done) return fail(done.error());
    engine_.files.keep(made.key, file);
    const std::lock_guard lock{mutex_};
    std::ranges::find(segments_, made.key, &Segment::key)->unnamed = nullptr;
    return {};
}

sdk::Status SegmentLog::rename_durably(const std::string& from, const std::string& to) {
    int error = engine_.system->rename(from, to);
    if (error < 0) return failure(error, "rename", from);
    error = engine_.system->sync_folder(folder_.path());
    if (error < 0) return failure(error, "sync", folder_.path());
    return {};
}

}  // namespace leat::segment
