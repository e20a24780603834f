#include "sealed_log.h"

#include <unistd.h>

#include <algorithm>

namespace sealed {

using leat::sdk::Errc;
using leat::sdk::Error;
using leat::sdk::LogBounds;
using leat::sdk::MemorySlice;
using leat::sdk::ReadAnswer;
using leat::sdk::Result;
using leat::sdk::StampedBatch;
using leat::sdk::Status;

Result<std::unique_ptr<leat::sdk::Log>> SealedLog::open(std::shared_ptr<Shared> shared,
                                                        std::shared_ptr<BatchCache> cache,
                                                        const Path& home,
                                                        const leat::sdk::PartitionId& id) {
    auto log = std::make_unique<SealedLog>(std::move(shared), std::move(cache), home, id);
    if (log->folder_.exists())
        if (auto done = log->recover(); !done) return done.error();
    return std::unique_ptr<leat::sdk::Log>{std::move(log)};
}

// Looks at every byte before it changes any.
Status SealedLog::recover() {
    if (auto good = folder_.check(); !good) return good;
    const auto begin = folder_.begin();
    if (!begin) return begin.error();
    const auto files = folder_.extents();
    if (!files) return files.error();
    begin_ = end_ = *begin;
    Offset synced = begin_;
    std::vector<Path> doomed;
    bool torn = false;
    for (const Path& file : *files) {
        auto walked = Extent::walk(shared_, file, folder_.name());
        if (!walked) return walked.error();
        synced = std::max(synced, walked->synced);
        const ExtentPointer& extent = walked->extent;
        const bool below =
            extent && !extent->frames.empty() && extent->frames.back().next <= begin_;
        if (torn || !extent || extent->frames.empty() || below) {
            doomed.push_back(file);  // Behind a crash's damage, empty, or what a trim left.
            torn = torn || (extent && !walked->whole) || !extent;
            continue;
        }
        if (extents_.empty() ? walked->follows > begin_ : walked->follows != end_)
            return Error{Errc::corrupt, "the extent before " + file.string() + " is gone"};
        torn = !walked->whole;
        end_ = extent->frames.back().next;
        extents_.push_back(extent);
    }
    if (synced > end_)
        return Error{Errc::corrupt, folder_.path().string() + " is not what was written: synced " +
                                        "to offset " + std::to_string(synced.value) + ", good to " +
                                        std::to_string(end_.value)};
    for (const Path& file : doomed)
        if (auto done = remove_file(file); !done) return done;
    return settle();
}

// What was found good is cut from what was not, and made safe.
Status SealedLog::settle() {
    for (const ExtentPointer& extent : extents_)
        if (auto done = extent->cut(extent->frames.size()); !done) return done;
    flushed_ = end_;
    return sync_folder(folder_.path());
}

LogBounds SealedLog::bounds() const {
    const std::lock_guard lock{mutex_};
    return {begin_, end_, flushed_};
}

std::vector<leat::sdk::Extent> SealedLog::extents() const {
    const std::lock_guard lock{mutex_};
    std::vector<leat::sdk::Extent> all;
    for (const ExtentPointer& extent : extents_) {
        leat::sdk::Extent told{.base = extent->frames.front().base,
                               .next = extent->frames.back().next};
        for (const Frame& frame : extent->frames) {
            told.bytes += frame.size;
            told.max_timestamp = std::max(told.max_timestamp, frame.max_timestamp);
        }
        all.push_back(told);
    }
    return all;
}

Status SealedLog::begin_extent(Offset base) {
    if (auto done = folder_.make(); !done) return done;
    auto extent = Extent::create(shared_, folder_.path(), folder_.name(), base, end_, flushed_);
    if (!extent) return extent.error();
    extents_.push_back(std::move(*extent));
    new_file_ = true;
    return {};
}

Status SealedLog::append(std::span<const StampedBatch> batches) {
    if (batches.empty()) return {};
    const std::lock_guard lock{mutex_};
    const bool begins = extents_.empty() || extents_.back()->closed;
    if (begins)
        if (auto done = begin_extent(batches.front().base); !done) return done;
    Extent& extent = *extents_.back();
    const std::size_t before = extent.frames.size();
    if (auto done = extent.append(batches); !done) {
        if (begins) {
            ::unlink(extent.path.c_str());
            extents_.pop_back();
        }
        return done;
    }
    for (std::size_t i = 0; i < batches.size(); ++i) {
        const auto bytes = batches[i].bytes;
        cache_->put(extent.number, extent.frames[before + i].position,
                    std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end()));
    }
    end_ = batches.back().next;
    return {};
}

Result<ReadAnswer> SealedLog::read(Offset from, Offset below, std::size_t max_bytes) {
    const std::lock_guard lock{mutex_};
    if (damage_) return *damage_;
    if (from < begin_ || from > end_)
        return Error{Errc::out_of_range, "offset " + std::to_string(from.value) + " is not held"};
    max_bytes = std::min<std::size_t>(max_bytes, cache_->largest_read());
    ReadAnswer answer;
    std::vector<std::pair<ExtentPointer, Frame>> missing;
    std::size_t taken = 0;
    auto extent = std::ranges::find_if(
        extents_, [&](const ExtentPointer& each) { return each->frames.back().next > from; });
    for (; extent != extents_.end(); ++extent) {
        const auto& frames = (*extent)->frames;
        auto frame = std::ranges::upper_bound(frames, from, {}, &Frame::next);
        for (; frame != frames.end(); ++frame) {
            if (frame->base >= below || (taken > 0 && taken + frame->size > max_bytes)) {
                if (!missing.empty()) return ReadAnswer{.bring_in = bring_in(std::move(missing))};
                return answer;
            }
            taken += frame->size;
            const Batch batch = cache_->find((*extent)->number, frame->position);
            if (batch)
                answer.slices.push_back(MemorySlice{batch, std::span{*batch}});
            else
                missing.emplace_back(*extent, *frame);
        }
    }
    if (!missing.empty()) return ReadAnswer{.bring_in = bring_in(std::move(missing))};
    return answer;
}

leat::sdk::Task SealedLog::bring_in(std::vector<std::pair<ExtentPointer, Frame>> missing) {
    return [this, missing = std::move(missing)] {
        for (const auto& [extent, frame] : missing) {
            auto batch = extent->read(frame);
            if (!batch) return failed_to_bring_in(extent, frame, batch.error());
            cache_->put(extent->number, frame.position, std::move(*batch));
        }
    };
}

// What a trim or a truncation took meanwhile is no damage: the next read will not ask for it.
void SealedLog::failed_to_bring_in(const ExtentPointer& extent, const Frame& frame,
                                   const Error& why) {
    const std::lock_guard lock{mutex_};
    const bool held =
        std::ranges::find(extents_, extent) != extents_.end() && frame.position < extent->end;
    if (!held) return;
    damage_ = why;
    if (why.code == Errc::not_found) damage_->code = Errc::corrupt;  // Somebody took the file.
}

std::optional<Offset> SealedLog::seek(Timestamp not_before) const {
    const std::lock_guard lock{mutex_};
    for (const ExtentPointer& extent : extents_)
        for (const Frame& frame : extent->frames)
            if (frame.next > begin_ && frame.max_timestamp >= not_before)
                return std::max(frame.base, begin_);
    return std::nullopt;
}

Status SealedLog::flush() {
    std::vector<ExtentPointer> dirty;
    Offset end;
    bool new_file = false;
    {
        const std::lock_guard lock{mutex_};
        for (const ExtentPointer& extent : extents_)
            if (std::exchange(extent->dirty, false)) dirty.push_back(extent);
        end = end_;
        new_file = std::exchange(new_file_, false);
    }
    for (const ExtentPointer& extent : dirty)
        if (auto done = extent->sync(); !done) return done;
    if (new_file)
        if (auto done = sync_folder(folder_.path()); !done) return done;
    const std::lock_guard lock{mutex_};
    for (const ExtentPointer& extent : dirty)
        if (extent->closed) extent->release();
    const bool news = end > flushed_;
    flushed_ = std::max(flushed_, end);
    if (news && !extents_.empty()) extents_.back()->mark(flushed_);
    return {};
}

Status SealedLog::truncate(Offset end) {
    const std::lock_guard lock{mutex_};
    if (end >= end_) return {};
    while (!extents_.empty() && extents_.back()->frames.front().next > end) {
        if (auto done = remove_file(extents_.back()->path); !done) return done;
        extents_.pop_back();
    }
    if (folder_.exists())
        if (auto done = sync_folder(folder_.path()); !done) return done;
    if (!extents_.empty()) {
        Extent& last = *extents_.back();
        const auto kept = std::ranges::upper_bound(last.frames, end, {}, &Frame::next);
        if (auto done = last.cut(static_cast<std::size_t>(kept - last.frames.begin())); !done)
            return done;
    }
    if (extents_.empty() || extents_.back()->frames.back().next <= begin_) {
        for (const ExtentPointer& extent : extents_)
            if (auto done = remove_file(extent->path); !done) return done;
        extents_.clear();
        begin_ = end_ = end;
        if (folder_.exists())
            if (auto done = folder_.keep_begin(begin_); !done) return done;
    } else {
        end_ = extents_.back()->frames.back().next;
    }
    flushed_ = std::min(flushed_, end_);
    return {};
}

Status SealedLog::trim(Offset begin) {
    const std::lock_guard lock{mutex_};
    if (begin <= begin_) return {};
    if (auto done = folder_.make(); !done) return done;
    if (auto done = folder_.keep_begin(begin); !done) return done;
    begin_ = begin;
    while (!extents_.empty() && extents_.front()->frames.back().next <= begin) {
        if (auto done = remove_file(extents_.front()->path); !done) return done;
        extents_.pop_front();
    }
    end_ = std::max(end_, begin);
    flushed_ = std::max(flushed_, begin);
    return {};
}

Status SealedLog::seal() {
    const std::lock_guard lock{mutex_};
    if (!extents_.empty()) extents_.back()->closed = true;
    return {};
}

}  // namespace sealed
