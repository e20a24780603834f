// What Journal::open does: fills the store from the two files, or says why it cannot.
#include "format.h"
#include "journal.h"

namespace leat::local {

using sdk::Errc;
using sdk::Error;
using sdk::Result;
using sdk::Status;

namespace {

constexpr const char* remedy = "; restore the folder from a backup";

}  // namespace

Result<Journal::Recovery> Journal::open(Store& into) {
    const std::scoped_lock held{mutex_};
    auto lock = files_->lock(path("lock"));
    if (!lock) return lock.error();
    lock_ = std::move(*lock);

    Recovery recovery;
    const auto snapshot = contents("snapshot", nullptr);
    const bool no_snapshot = !snapshot && snapshot.error().code == Errc::not_found;
    if (!snapshot && !no_snapshot) return snapshot.error();
    if (snapshot) {
        if (Status read = decode_snapshot(*snapshot, path("snapshot").string(), into); !read)
            return read.error();
        snapshot_bytes_ = snapshot->size();
    }
    const auto journal = contents("journal", &journal_);
    if (!journal) {
        if (journal.error().code != Errc::not_found) return journal.error();
        if (no_snapshot) return recovery;  // A fresh folder.
        return Error{Errc::corrupt, path("journal").string() +
                                        " is missing beside a snapshot: what was committed after "
                                        "it may be lost" + remedy};
    }
    if (Status read = recover_journal(*journal, into, recovery); !read) return read.error();
    return recovery;
}

Result<std::string> Journal::contents(const char* name, std::unique_ptr<File>* keep_open) {
    auto file = files_->open(path(name));
    if (!file) return file.error();
    auto bytes = (*file)->read_whole(most_file_bytes);
    if (keep_open != nullptr) *keep_open = std::move(*file);
    return bytes;
}

Status Journal::recover_journal(std::string_view file, Store& into, Recovery& recovery) {
    const std::string name = path("journal").string();
    const auto base = decode_head(file, journal_magic, name);
    if (!base) return base.error();
    const sdk::Revision known = into.revision();
    if (*base > known)
        return Error{Errc::corrupt, name + " goes on from revision " + std::to_string(base->value) +
                                        ", but the snapshot before it is missing or older" +
                                        remedy};
    std::uint64_t next = base->value + 1;
    std::size_t at = head_bytes;
    while (at < file.size()) {
        const auto unit = unit_at(file, at);
        if (!unit) break;
        if (unit->first.value != next || !replay(*unit, known, into))
            return Error{Errc::corrupt, name + " does not go on as it should at byte " +
                                            std::to_string(at) + remedy};
        next += unit->transactions;
        at += unit->bytes;
    }
    if (next <= known.value)
        return Error{Errc::corrupt, name + " ends before the snapshot beside it: they do not "
                                           "belong together" + remedy};
    if (at < file.size() && any_unit_behind(file, at + 1))
        return Error{Errc::corrupt, name + " is damaged at byte " + std::to_string(at) +
                                        ", with whole transactions behind it" + remedy};
    recovery.bytes_cut = file.size() - at;
    if (recovery.bytes_cut != 0)
        if (Status cut = journal_->cut(at); !cut) return cut;
    // What was read may only be in the page cache: answers rest on it from now on.
    if (at > head_bytes || recovery.bytes_cut != 0)
        if (Status synced = journal_->sync(); !synced) return synced;
    end_ = at;
    return {};
}

}  // namespace leat::local
