#include <algorithm>
#include <cerrno>

#include "segment_log.h"
#include "small_files.h"

namespace leat::segment {

// What a flush is about: copied under the mutex, worked off without it.
struct SegmentLog::SyncPlan {
    std::vector<Segment> segments;
    FilePointer active;  // Of the last one, if it is open.
    std::uint64_t active_key = 0;
    bool active_is_sealed = false;
    bool folder = false;
    std::int64_t end = 0;
};

// What a truncation leaves.
struct SegmentLog::Cut {
    std::size_t kept = 0;  // Segments kept as they are.
    bool partial = false;  // And the one behind them is cut: this is what becomes of it.
    Segment remade{};
    FilePointer file{};    // Its file.
    std::int64_t end = 0;
};

SegmentLog::SyncPlan SegmentLog::make_sync_plan() {
    const std::lock_guard lock{mutex_};
    SyncPlan plan;
    plan.end = end_;
    plan.folder = std::exchange(folder_unsynced_, false);
    plan.active_is_sealed = sealed_;
    if (!segments_.empty()) plan.active_key = segments_.back().key;
    for (const Segment& segment : segments_) {
        const bool closed = segment.key != plan.active_key || sealed_;
        if (segment.next > flushed_ || (closed && !segment.index_written)) {
            plan.segments.push_back(segment);
        }
    }
    plan.active = active_.lock();
    return plan;
}

sdk::Status SegmentLog::flush() {
    if (failed_) return refused();
    SyncPlan plan = make_sync_plan();
    if (plan.segments.empty() && !plan.folder) return {};
    if (auto synced = sync(plan); !synced) return fail(synced.error());
    {
        const std::lock_guard lock{mutex_};
        flushed_ = std::max(flushed_, plan.end);
        for (const Segment& done : plan.segments) {
            const auto same = std::find_if(segments_.begin(), segments_.end(),
                                           [&](const Segment& s) { return s.key == done.key; });
            if (done.index_written && same != segments_.end()) same->index_written = true;
        }
    }
    engine_.checkpoints.note_flushed(folder_.name(), plan.end);
    const auto written = engine_.checkpoints.write_if_older_than(
        engine_.context.shard().now(), engine_.options.checkpoint_interval);
    if (!written) {
        // Nothing is lost by it but time at the next recovery.
        engine_.context.log(sdk::LogLevel::warn, "recovery points were not written",
                            {{"error", written.error().what}});
    }
    return {};
}

sdk::Status SegmentLog::sync(SyncPlan& plan) {
    if (auto made = folder_.sync_new(); !made) return made;
    for (Segment& segment : plan.segments) {
        const bool active = segment.key == plan.active_key;
        if (!active || plan.active_is_sealed) {
            if (!segment.index_written) segment.index_written = write_index(segment, Durable::yes);
        }
        FilePointer file = active ? plan.active : nullptr;
        if (file == nullptr) {
            auto opened = engine_.files.find_or_open(segment.key, path(segment, ".log"));
            if (!opened) return opened.error();
            file = *opened;
        }
        const int error = file->system().sync(file->descriptor());
        if (error < 0) return failure(error, "sync", path(segment, ".log"));
    }
    if (!plan.folder) return {};
    const int error = engine_.system->sync_folder(folder_.path());
    if (error < 0) return failure(error, "sync", folder_.path());
    return {};
}

// False if it could not be written. Then there is none, and the next start rebuilds it: half a
// time index would hide the newest timestamps.
bool SegmentLog::write_index(const Segment& segment, Durable durable) {
    FileSystem& system = *engine_.system;
    const auto places = segment.index->place_file();
    const auto times = segment.index->time_file();
    bool fine = true;
    for (const auto& [extension, bytes] :
         {std::pair{".index", &places}, std::pair{".timeindex", &times}}) {
        fine = fine && write_small_file(system, path(segment, extension), *bytes).has_value();
        if (!fine || durable == Durable::no) continue;
        auto file = engine_.files.open(path(segment, extension), FileSystem::Open::existing);
        fine = file && system.sync((*file)->descriptor()) == 0;
    }
    if (fine) return true;
    system.unlink(path(segment, ".index"));
    system.unlink(path(segment, ".timeindex"));
    return false;
}

sdk::Result<SegmentLog::Cut> SegmentLog::find_cut(std::int64_t end) {
    Cut cut;
    cut.kept = segments_.size();
    while (cut.kept != 0 && segments_[cut.kept - 1].base >= end) --cut.kept;
    if (cut.kept != 0 && segments_[cut.kept - 1].next > end) {
        const Segment& last = segments_[--cut.kept];
        auto file = engine_.files.open(path(last, ".log"), FileSystem::Open::existing);
        if (!file) return file.error();
        std::vector<std::byte> buffer(4096);
        Window window{**file, last.bytes, buffer, Window::May::wait};
        std::uint64_t position = last.index->before_offset(end - 1 - last.base);
        std::int64_t dropped_base = last.base;
        for (;;) {
            const Found found = header_at(window, position);
            if (found.kind == Found::Kind::failed) {
                return failure(found.error, "read", path(last, ".log"));
            }
            if (found.kind != Found::Kind::batch) {
                return sdk::Error{sdk::Errc::corrupt, path(last, ".log") + " has " + found.damage};
            }
            dropped_base = found.header.base;
            if (found.header.next > end) break;
            position += found.header.size;
        }
        if (position != 0) {
            cut.partial = true;
            cut.file = *file;
            cut.remade = last;
            cut.remade.index = std::make_shared<SparseIndex>(*last.index);
            cut.remade.index->cut(position, dropped_base - last.base);
            const Walked walked = walk_tail(**file, cut.remade, step_, position);
            if (walked.error < 0) return failure(walked.error, "read", path(last, ".log"));
            if (walked.damage != nullptr) {
                return sdk::Error{sdk::Errc::corrupt, path(last, ".log") + " has " + walked.damage};
            }
            cut.remade.index_written = false;
        }
    }
    if (cut.partial) {
        cut.end = cut.remade.next;
    } else if (cut.kept != 0) {
        cut.end = segments_[cut.kept - 1].next;
    }
    return cut;
}

sdk::Status SegmentLog::truncate(sdk::Offset end) {
    if (failed_) return refused();
    if (end.value >= end_) return {};
    auto cut = find_cut(end.value);
    if (!cut) return fail(cut.error());
    const bool nothing_left = (cut->kept == 0 && !cut->partial) || cut->end <= begin_;
    if (nothing_left) *cut = Cut{.end = end.value};
    std::optional<std::int64_t> log_start;
    if (nothing_left && (end.value != 0 || engine_.checkpoints.log_start(folder_.name()))) {
        log_start = end.value;
    }
    auto lowered = engine_.checkpoints.lower(folder_.name(), cut->end, log_start);
    if (!lowered) return fail(lowered.error());

    std::vector<Segment> dropped;
    {
        const std::lock_guard lock{mutex_};
        const auto first = segments_.begin() + static_cast<std::ptrdiff_t>(cut->kept);
        dropped.assign(first + (cut->partial ? 1 : 0), segments_.end());
        segments_.erase(first, segments_.end());
        if (cut->partial) segments_.push_back(cut->remade);
        if (cut->partial) {
            engine_.files.let_go(cut->remade.key);
            engine_.files.keep_active(cut->remade.key, cut->file);
        }
        active_ = cut->file;
        sealed_ = !cut->partial && !segments_.empty();
        end_ = cut->end;
        if (nothing_left) begin_ = end_;
        flushed_ = std::min(flushed_, end_);
        not_written_back_ = 0;
        recent_.reset();
    }
    // What is kept is synced first, and in order: a cut file that is synced before those in front
    // of it would leave a hole in the log after a power cut.
    SyncPlan plan = make_sync_plan();
    plan.folder = true;
    if (auto synced = sync(plan); !synced) return fail(synced.error());
    if (auto done = apply_cut(*cut, dropped); !done) return fail(done.error());
    const std::lock_guard lock{mutex_};
    flushed_ = end_;
    return {};
}

// Behind each step the log has no hole, wherever a crash stops it.
sdk::Status SegmentLog::apply_cut(const Cut& cut, const std::vector<Segment>& dropped) {
    for (auto segment = dropped.rbegin(); segment != dropped.rend(); ++segment) {
        engine_.files.forget(segment->key);
        auto gone = remove_segment_files(*engine_.system, folder_.path(), segment->base);
        if (!gone) return gone;
    }
    if (cut.partial) {
        for (const char* extension : {".index", ".timeindex"}) {
            const std::string name = path(cut.remade, extension);
            const int error = engine_.system->unlink(name);
            if (error < 0 && error != -ENOENT) return failure(error, "remove", name);
        }
    }
    if (cut.partial || !dropped.empty()) {
        const int error = engine_.system->sync_folder(folder_.path());
        if (error < 0) return failure(error, "sync", folder_.path());
    }
    if (!cut.partial) return {};
    int error = engine_.system->truncate(cut.file->descriptor(), cut.remade.bytes);
    if (error == 0) error = engine_.system->sync(cut.file->descriptor());
    if (error < 0) return failure(error, "truncate", path(cut.remade, ".log"));
    return {};
}

sdk::Status SegmentLog::trim(sdk::Offset begin) {
    if (failed_) return refused();
    if (begin.value <= begin_) return {};
    const auto kept = std::find_if(segments_.begin(), segments_.end(), [&](const Segment& segment) {
        return segment.next > begin.value;
    });
    if (kept == segments_.end() || kept->base != begin.value) {
        // Without a folder the engine would take the start offset for that of a removed partition.
        if (auto made = folder_.make(); !made) return made;
        if (auto synced = folder_.sync_new(); !synced) return fail(synced.error());
        auto noted = engine_.checkpoints.set_log_start(folder_.name(), begin.value);
        if (!noted) return fail(noted.error());
    }
    std::vector<Segment> dropped;
    {
        const std::lock_guard lock{mutex_};
        dropped.assign(segments_.begin(), kept);
        segments_.erase(segments_.begin(), kept);
        begin_ = begin.value;
        end_ = std::max(end_, begin_);
        flushed_ = std::max(flushed_, begin_);
        if (segments_.empty()) {
            active_.reset();
            sealed_ = false;
            recent_.reset();
        }
    }
    for (const Segment& segment : dropped) {
        engine_.files.forget(segment.key);
        auto gone = remove_segment_files(*engine_.system, folder_.path(), segment.base);
        if (!gone) return fail(gone.error());
    }
    if (dropped.empty()) return {};
    const int error = engine_.system->sync_folder(folder_.path());
    if (error < 0) return fail(failure(error, "sync", folder_.path()));
    return {};
}

}  // namespace leat::segment
