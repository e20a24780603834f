#include "open_files.h"

#include <cerrno>

namespace leat::segment {

sdk::Result<FilePointer> OpenFiles::open(const std::string& path, FileSystem::Open how) {
    int descriptor = system_->open(path, how);
    if (descriptor == -EMFILE || descriptor == -ENFILE) {
        Kept::Files dropped;  // Closed after the lock is released.
        {
            const std::lock_guard lock{mutex_};
            for (Kept* kept : {&recent_, &active_}) {
                kept->where.clear();
                dropped.splice(dropped.end(), kept->files);
            }
        }
        dropped.clear();
        descriptor = system_->open(path, how);
    }
    if (descriptor < 0) return failure(descriptor, "open", path);
    return std::make_shared<OpenFile>(system_, descriptor);
}

FilePointer OpenFiles::find(std::uint64_t key) {
    const std::lock_guard lock{mutex_};
    const auto found = recent_.where.find(key);
    if (found == recent_.where.end()) return nullptr;
    recent_.files.splice(recent_.files.begin(), recent_.files, found->second);
    return found->second->second;
}

void OpenFiles::put(Kept& kept, std::uint64_t key, FilePointer file) {
    FilePointer dropped;  // Closed after the lock is released.
    const std::lock_guard lock{mutex_};
    if (kept.where.contains(key)) return;
    kept.files.emplace_front(key, std::move(file));
    kept.where.emplace(key, kept.files.begin());
    if (kept.files.size() <= kept.most) return;
    kept.where.erase(kept.files.back().first);
    dropped = std::move(kept.files.back().second);
    kept.files.pop_back();
}

void OpenFiles::drop(Kept& kept, std::uint64_t key) {
    FilePointer dropped;
    const std::lock_guard lock{mutex_};
    const auto found = kept.where.find(key);
    if (found == kept.where.end()) return;
    dropped = std::move(found->second->second);
    kept.files.erase(found->second);
    kept.where.erase(found);
}

void OpenFiles::forget(std::uint64_t key) {
    drop(recent_, key);
    drop(active_, key);
    const std::lock_guard lock{mutex_};
    failures_.erase(key);
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
