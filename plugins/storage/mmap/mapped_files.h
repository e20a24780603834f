// The files of plugins/storage/segment, with segments that are stored into through a mapping.
//
// A fresh `.log` is a spare, if one is ready: longer than what is in it by zeros, until finish(),
// truncate() or the last close() cut it to what was written. Writes go into the mapping as far as
// it reaches, and past it to the file. Everything else is of the file: reads and syncs see what was
// stored (one page cache), and a read error is an error there, where a load would be a signal.
//
// A `.log` that is unlinked while nobody has it open is offered to the spares; so a reader's slice,
// which holds a descriptor, never sees it used again.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "file_system.h"
#include "spares.h"

namespace leat::mmap {

class MappedFiles final : public segment::FileSystem {
public:
    MappedFiles(std::shared_ptr<segment::FileSystem> files, std::shared_ptr<Spares> spares)
        : files_{std::move(files)}, spares_{std::move(spares)} {}

    int open(const std::string& path, Open how) override;
    int close(int file) override;
    std::int64_t write(int file, std::span<const iovec> parts, std::uint64_t at) override;
    int truncate(int file, std::uint64_t size) override;
    int finish(int file) override;
    int rename(const std::string& from, const std::string& to) override;
    int unlink(const std::string& path) override;

    std::int64_t size(int file) override { return files_->size(file); }
    std::int64_t read(int file, std::span<std::byte> into, std::uint64_t at) override {
        return files_->read(file, into, at);
    }
    std::int64_t read_resident(int file, std::span<std::byte> into, std::uint64_t at) override {
        return files_->read_resident(file, into, at);
    }
    bool resident(int file, std::uint64_t at, std::uint64_t size) override {
        return files_->resident(file, at, size);
    }
    // Stores into a shared mapping make pages of the file dirty, and fdatasync writes those
    // (Linux: msync(MS_SYNC) is nothing else).
    int sync(int file) override { return files_->sync(file); }
    int sync_folder(const std::string& path) override { return files_->sync_folder(path); }
    int sync_everything(const std::string& path) override { return files_->sync_everything(path); }
    void start_writeback(int file, std::uint64_t at, std::uint64_t size) override {
        files_->start_writeback(file, at, size);
    }
    void read_ahead(int file, std::uint64_t at, std::uint64_t size) override {
        files_->read_ahead(file, at, size);
    }
    int make_folder(const std::string& path) override { return files_->make_folder(path); }
    int remove_folder(const std::string& path) override { return files_->remove_folder(path); }
    int list(const std::string& path, std::vector<std::string>& names) override {
        return files_->list(path, names);
    }

private:
    // One `.log` that is open, however often.
    struct File {
        std::shared_ptr<Mapping> mapping{};  // Null: as any other file.
        std::uint64_t written = 0;           // Of a mapped one: where its zeros begin.
        int descriptors = 0;                 // Guarded by mutex_.
    };

    std::shared_ptr<File> find(int file) const;
    int cut(int descriptor, File& file, std::uint64_t size);
    int open_log(const std::string& path, Open how);

    const std::shared_ptr<segment::FileSystem> files_;
    const std::shared_ptr<Spares> spares_;

    // Held over open, rename and unlink of `.log` files, so that none is opened while it is given
    // to the spares.
    mutable std::mutex mutex_;
    std::unordered_map<int, std::shared_ptr<File>> open_;              // By descriptor.
    std::map<std::string, std::shared_ptr<File>, std::less<>> named_;  // By path; not all are open.
};

}  // namespace leat::mmap
