#include "mapped_files.h"

#include <string_view>

namespace leat::mmap {
namespace {

bool is_log(std::string_view path) {
    return path.ends_with(".log");
}

// It, and what becomes one: see segment_rewrite.cc. A reader that has it open by the earlier name
// is known by the later one.
bool is_followed(std::string_view path) {
    return is_log(path) || path.ends_with(".log.cleaned") || path.ends_with(".log.swap");
}

// Of a partition that was removed. Its names may outlive a power cut, see Spares.
bool is_in_deleted_folder(std::string_view path) {
    return path.substr(0, path.rfind('/')).ends_with("-delete");
}

std::uint64_t bytes_in(std::span<const iovec> parts) {
    std::uint64_t bytes = 0;
    for (const iovec& part : parts) bytes += part.iov_len;
    return bytes;
}

}  // namespace

int MappedFiles::open(const std::string& path, Open how) {
    if (!is_followed(path)) return files_->open(path, how);
    const std::lock_guard lock{mutex_};
    return open_log(path, how);
}

int MappedFiles::open_log(const std::string& path, Open how) {
    std::shared_ptr<File> file;
    int descriptor = -1;
    if (how == Open::fresh) {
        named_.erase(path);
        file = std::make_shared<File>();
        auto spare = is_log(path) ? spares_->take(path) : std::nullopt;
        if (spare) {
            descriptor = spare->file;
            file->mapping = std::move(spare->mapping);
        }
    } else if (const auto known = named_.find(path); known != named_.end()) {
        file = known->second;
    } else {
        file = std::make_shared<File>();
    }
    if (descriptor < 0) descriptor = files_->open(path, how);
    if (descriptor < 0) return descriptor;
    ++file->descriptors;
    named_.insert_or_assign(path, file);
    open_.insert_or_assign(descriptor, std::move(file));
    return descriptor;
}

std::shared_ptr<MappedFiles::File> MappedFiles::find(int file) const {
    const std::lock_guard lock{mutex_};
    const auto found = open_.find(file);
    return found == open_.end() ? nullptr : found->second;
}

int MappedFiles::close(int file) {
    std::shared_ptr<File> closed;
    {
        const std::lock_guard lock{mutex_};
        const auto found = open_.find(file);
        if (found != open_.end()) {
            closed = std::move(found->second);
            open_.erase(found);
            if (--closed->descriptors == 0) {
                std::erase_if(named_, [&](const auto& one) { return one.second == closed; });
            } else {
                closed = nullptr;
            }
        }
    }
    // A failure leaves zeros behind the last batch, which the next recovery knows.
    if (closed != nullptr) cut(file, *closed, closed->written);
    return files_->close(file);
}

std::int64_t MappedFiles::write(int file, std::span<const iovec> parts, std::uint64_t at) {
    const auto mapped = find(file);
    if (mapped == nullptr || mapped->mapping == nullptr) return files_->write(file, parts, at);
    const Mapping& mapping = *mapped->mapping;
    const std::uint64_t bytes = bytes_in(parts);
    std::int64_t wrote = static_cast<std::int64_t>(bytes);
    if (at <= mapping.bytes() && bytes <= mapping.bytes() - at) {
        const int error = mapping.disk().store(file, mapping.start() + at, parts);
        if (error < 0) return error;
    } else {
        wrote = files_->write(file, parts, at);
        if (wrote < 0) return wrote;
    }
    mapped->written = at + static_cast<std::uint64_t>(wrote);
    return wrote;
}

int MappedFiles::cut(int descriptor, File& file, std::uint64_t size) {
    if (file.mapping == nullptr) return 0;
    spares_->give_back(std::move(file.mapping));
    file.mapping = nullptr;
    return files_->truncate(descriptor, size);
}

int MappedFiles::truncate(int file, std::uint64_t size) {
    const auto mapped = find(file);
    if (mapped == nullptr || mapped->mapping == nullptr) return files_->truncate(file, size);
    return cut(file, *mapped, size);
}

int MappedFiles::finish(int file) {
    const auto mapped = find(file);
    return mapped == nullptr ? 0 : cut(file, *mapped, mapped->written);
}

int MappedFiles::rename(const std::string& from, const std::string& to) {
    const std::lock_guard lock{mutex_};
    const int error = files_->rename(from, to);
    if (error < 0) return error;
    if (auto moved = named_.extract(from)) {
        named_.erase(to);
        moved.key() = to;
        named_.insert(std::move(moved));
    }
    // A folder: what is open below it is called otherwise now.
    const std::string below = from + "/";
    for (auto one = named_.lower_bound(below); one != named_.end();) {
        if (!one->first.starts_with(below)) break;
        auto moved = named_.extract(one++);
        moved.key().replace(0, from.size(), to);
        named_.insert(std::move(moved));
    }
    return 0;
}

int MappedFiles::unlink(const std::string& path) {
    if (!is_followed(path)) return files_->unlink(path);
    const std::lock_guard lock{mutex_};
    const bool open = named_.contains(path);
    if (is_log(path) && !open && !is_in_deleted_folder(path) && spares_->recycle(path)) return 0;
    const int error = files_->unlink(path);
    if (error == 0) named_.erase(path);
    return error;
}

}  // namespace leat::mmap
