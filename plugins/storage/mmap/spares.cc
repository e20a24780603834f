#include "spares.h"

#include <cerrno>
#include <vector>

namespace leat::mmap {
namespace {

using segment::FileSystem;

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/'));
}

}  // namespace

Spares::Spares(sdk::PluginContext& context, std::shared_ptr<FileSystem> files,
               std::shared_ptr<MappingDisk> disk, std::string root, SpareOptions options)
    : context_{context},
      files_{std::move(files)},
      disk_{std::move(disk)},
      folder_{std::move(root) + "/spare"},
      options_{options} {}

sdk::Status Spares::start() {
    std::vector<std::string> names;
    const int error = files_->list(folder_, names);
    if (error == -ENOENT) return {};
    if (error < 0) return segment::failure(error, "list", folder_);
    for (const auto& name : names) {
        const std::string path = folder_ + "/" + name;
        if (const int gone = files_->unlink(path); gone < 0) {
            return segment::failure(gone, "remove", path);
        }
    }
    folder_made_ = true;
    return {};
}

std::string Spares::next_path() {
    const std::lock_guard lock{mutex_};
    return folder_ + "/" + std::to_string(++last_name_);
}

bool Spares::wants_more() const {
    return !stopped_ && ready_.size() < options_.ready &&
           mapped_ + ready_.size() < options_.most_mapped;
}

void Spares::make_more_later() {
    if (scheduled_ || !wants_more()) return;
    scheduled_ = true;
    sdk::Shard& shard = context_.shard();
    shard.post([&shard, weak = weak_from_this()] {
        shard.offload(
            [weak] {
                if (const auto spares = weak.lock()) spares->make_more();
            },
            [] {});
    });
}

void Spares::make_more() {
    const std::lock_guard making{making_};
    do {
        const std::lock_guard lock{mutex_};
        scheduled_ = wants_more();
        if (!scheduled_) return;
    } while (make_one());
    const std::lock_guard lock{mutex_};
    scheduled_ = false;
}

void Spares::have_one_ready() {
    {
        const std::lock_guard lock{mutex_};
        make_more_later();
        if (!ready_.empty()) return;
    }
    const std::unique_lock making{making_, std::try_to_lock};
    if (!making) return;
    {
        const std::lock_guard lock{mutex_};
        if (!ready_.empty() || !wants_more()) return;
    }
    make_one();
}

bool Spares::make_one() {
    bool from_used = false;
    Spare spare;
    if (const auto used = next_used()) {
        spare.path = used->path;
        from_used = true;
    } else {
        spare.path = next_path();
    }
    const int error = make(spare, from_used);
    note(error);
    if (error < 0) {
        remove(spare);
        return false;
    }
    const std::lock_guard lock{mutex_};
    ready_.push_back(std::move(spare));
    return true;
}

int Spares::make(Spare& spare, bool from_used) {
    if (!folder_made_) {
        const int made = files_->make_folder(folder_);
        if (made < 0 && made != -EEXIST) return made;
        const std::lock_guard lock{mutex_};
        folder_made_ = true;
    }
    const auto how = from_used ? FileSystem::Open::existing : FileSystem::Open::fresh;
    const int file = files_->open(spare.path, how);
    if (file < 0) return file;
    spare.file = file;
    const std::uint64_t bytes = options_.file_bytes;
    if (const int error = files_->truncate(file, bytes); error < 0) return error;
    if (const int error = disk_->fill_with_zeros(file, bytes); error < 0) return error;
    std::byte* start = nullptr;
    if (const int error = disk_->map(file, bytes, start); error < 0) return error;
    spare.mapping = std::make_shared<Mapping>(disk_, start, bytes);
    return 0;
}

// One whose old name is gone for good, whenever the power goes.
std::optional<Spares::Used> Spares::next_used() {
    for (;;) {
        Used used;
        {
            const std::lock_guard lock{mutex_};
            if (used_.empty()) return std::nullopt;
            used = std::move(used_.front());
            used_.pop_front();
        }
        if (files_->sync_folder(used.folder) == 0) return used;
        files_->unlink(used.path);
    }
}

void Spares::note(int error) {
    if (error == 0) {
        complained_ = false;
        return;
    }
    if (complained_) return;
    complained_ = true;
    context_.log(sdk::LogLevel::warn,
                 "no segment can be prepared; until one can, segments are not mapped",
                 {{"error", segment::failure(error, "prepare a file in", folder_).what},
                  {"bytes", std::to_string(options_.file_bytes)}});
}

void Spares::remove(const Spare& spare) {
    if (spare.file >= 0) files_->close(spare.file);
    files_->unlink(spare.path);
}

std::optional<Spares::Spare> Spares::take(const std::string& path) {
    Spare spare;
    {
        const std::lock_guard lock{mutex_};
        if (stopped_) return std::nullopt;
        if (ready_.empty()) {
            make_more_later();
            return std::nullopt;
        }
        spare = std::move(ready_.front());
        ready_.pop_front();
        ++mapped_;
        make_more_later();
    }
    if (files_->rename(spare.path, path) < 0) {
        remove(spare);
        const std::lock_guard lock{mutex_};
        --mapped_;
        return std::nullopt;
    }
    spare.path = path;
    return spare;
}

bool Spares::recycle(const std::string& path) {
    {
        const std::lock_guard lock{mutex_};
        if (!folder_made_ || stopped_ || used_.size() >= options_.ready) return false;
    }
    Used used{.path = next_path(), .folder = folder_of(path)};
    if (files_->rename(path, used.path) < 0) return false;
    const std::lock_guard lock{mutex_};
    used_.push_back(std::move(used));
    make_more_later();
    return true;
}

void Spares::give_back(std::shared_ptr<Mapping> mapping) {
    const std::lock_guard lock{mutex_};
    --mapped_;
    if (stopped_) return;
    sdk::Shard& shard = context_.shard();
    shard.post([&shard, gone = std::move(mapping)]() mutable {
        shard.offload([held = std::move(gone)] {}, [] {});
    });
    make_more_later();
}

void Spares::stop() {
    const std::lock_guard making{making_};
    std::deque<Spare> ready;
    std::deque<Used> used;
    {
        const std::lock_guard lock{mutex_};
        stopped_ = true;
        ready.swap(ready_);
        used.swap(used_);
    }
    for (const Spare& spare : ready) remove(spare);
    for (const Used& one : used) files_->unlink(one.path);
}

}  // namespace leat::mmap
