#include "open_files.h"

#include <cerrno>

namespace leat::segment {

sdk::Result<FilePointer> OpenFiles::open(const std::string& path, FileSystem::Open how) {
    int descriptor = system_->open(path, how);
    if (descriptor == -EMFILE || descriptor == -ENFILE) {
        {
            const std::lock_guard lock{mutex_};
            where_.clear();
            recent_.clear();
        }
        descriptor = system_->open(path, how);
    }
    if (descriptor < 0) return failure(descriptor, "open", path);
    return std::make_shared<OpenFile>(system_, descriptor);
}

FilePointer OpenFiles::find(std::uint64_t key) {
    const std::lock_guard lock{mutex_};
    const auto found = where_.find(key);
    if (found == where_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, found->second);
    return found->second->second;
}

void OpenFiles::keep(std::uint64_t key, FilePointer file) {
    FilePointer dropped;  // Closed after the lock is released.
    const std::lock_guard lock{mutex_};
    if (where_.contains(key)) return;
    recent_.emplace_front(key, std::move(file));
    where_.emplace(key, recent_.begin());
    if (recent_.size() <= most_) return;
    where_.erase(recent_.back().first);
    dropped = std::move(recent_.back().second);
    recent_.pop_back();
}

void OpenFiles::forget(std::uint64_t key) {
    FilePointer dropped;
    const std::lock_guard lock{mutex_};
    failures_.erase(key);
    const auto found = where_.find(key);
    if (found == where_.end()) return;
    dropped = std::move(found->second->second);
    recent_.erase(found->second);
    where_.erase(found);
}

sdk::Result<FilePointer> OpenFiles::find_or_open(std::uint64_t key, const std::string& path) {
    if (FilePointer file = find(key)) return file;
    auto opened = open(path, FileSystem::Open::existing);
    if (opened) keep(key, *opened);
    return opened;
}

void OpenFiles::note_failure(std::uint64_t key, sdk::Error error) {
    const std::lock_guard lock{mutex_};
    failures_.insert_or_assign(key, std::move(error));
}

std::optional<sdk::Error> OpenFiles::take_failure(std::uint64_t key) {
    const std::lock_guard lock{mutex_};
    const auto found = failures_.find(key);
    if (found == failures_.end()) return std::nullopt;
    std::optional<sdk::Error> error{std::move(found->second)};
    failures_.erase(found);
    return error;
}

}  // namespace leat::segment
