#include "journal.h"

#include <algorithm>

#include "format.h"

namespace leat::local {

using sdk::Errc;
using sdk::Error;
using sdk::Status;

namespace {

// No descriptor left, a full device: nothing was touched that is in use, so it may work later.
Error not_begun(const Error& error) {
    return {error.code == Errc::no_space ? Errc::no_space : Errc::unavailable, error.what};
}

}  // namespace

Status Journal::append(std::string_view unit, const Store& store) {
    const std::scoped_lock held{mutex_};
    if (Status open = check_open(); !open) return open;
    if (!journal_)
        if (Status begun = outcome(begin_journal(store.revision())); !begun) return begun;
    return outcome(put_unit(unit));
}

Status Journal::rotate(const Store& store) {
    const std::scoped_lock held{mutex_};
    if (Status open = check_open(); !open) return open;
    Status status = write_snapshot(store);
    if (status) status = begin_journal(store.revision());
    if (!status) try_again_at_ = end_ + std::max<std::uint64_t>(end_ / 2, 64 * 1024);
    return outcome(std::move(status));
}

bool Journal::outgrown(std::uint64_t least) const {
    const std::scoped_lock held{mutex_};
    return !closed_ && !failed_ && end_ > std::max({least, snapshot_bytes_, try_again_at_});
}

void Journal::close() {
    const std::scoped_lock held{mutex_};
    closed_ = true;
    journal_.reset();
    lock_.reset();
}

Status Journal::check_open() const {
    if (closed_) return Error{Errc::closed, "the journal is closed"};
    if (failed_)
        return Error{Errc::io, "the journal in " + folder_.string() +
                                   " failed before and takes nothing any more: mend the device "
                                   "and start again"};
    return {};
}

Status Journal::outcome(Status status) {
    if (!status && status.error().code != Errc::no_space &&
        status.error().code != Errc::unavailable)
        failed_ = true;
    return status;
}

Status Journal::put_unit(std::string_view unit) {
    Status written = journal_->write_at(end_, unit);
    if (!written) {
        if (written.error().code != Errc::no_space) return written;
        // Whatever part of it is there must not come up at the next start as if it had happened.
        if (Status cut = journal_->cut(end_); !cut) return Error{Errc::io, cut.error().what};
        if (Status synced = journal_->sync(); !synced) return Error{Errc::io, synced.error().what};
        return written;
    }
    if (Status synced = journal_->sync(); !synced) return Error{Errc::io, synced.error().what};
    end_ += unit.size();
    return {};
}

Status Journal::begin_journal(sdk::Revision revision) {
    auto file = files_->create(path("journal.new"));
    if (!file) return not_begun(file.error());
    if (Status written = (*file)->write_at(0, encode_head(journal_magic, revision)); !written)
        return written;
    if (Status synced = (*file)->sync(); !synced) return Error{Errc::io, synced.error().what};
    if (Status renamed = files_->rename(path("journal.new"), path("journal")); !renamed)
        return Error{Errc::io, renamed.error().what};
    if (Status synced = files_->sync_folder(folder_); !synced)
        return Error{Errc::io, synced.error().what};
    journal_ = std::move(*file);
    end_ = head_bytes;
    try_again_at_ = 0;
    return {};
}

Status Journal::write_snapshot(const Store& store) {
    auto file = files_->create(path("snapshot.new"));
    if (!file) return not_begun(file.error());
    std::uint64_t at = 0;
    Status written = encode_snapshot(store, [&](std::string_view piece) {
        Status put = (*file)->write_at(at, piece);
        at += piece.size();
        return put;
    });
    if (!written) {
        file->reset();
        if (Status removed = files_->remove(path("snapshot.new")); !removed) return removed;
        return written;
    }
    if (Status synced = (*file)->sync(); !synced) return Error{Errc::io, synced.error().what};
    if (Status renamed = files_->rename(path("snapshot.new"), path("snapshot")); !renamed)
        return Error{Errc::io, renamed.error().what};
    // Before the new journal takes the old one's name: else a crash could leave the old snapshot
    // beside a journal that goes on from the new one.
    if (Status synced = files_->sync_folder(folder_); !synced)
        return Error{Errc::io, synced.error().what};
    snapshot_bytes_ = at;
    return {};
}

}  // namespace leat::local
