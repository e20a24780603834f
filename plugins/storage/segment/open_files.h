// Descriptors: one that closes itself when its last user goes, and those that are kept open: for
// appends, and for readers of files nobody appends to. A reader shares a file's ownership, so a
// descriptor that is dropped here, or whose file is unlinked, stays readable for as long as a slice
// names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "leat/sdk/result.h"
#include "file_system.h"

namespace leat::segment {

class OpenFile {
public:
    OpenFile(std::shared_ptr<FileSystem> system, int descriptor)
        : system_{std::move(system)}, descriptor_{descriptor} {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() { system_->close(descriptor_); }

    FileSystem& system() const { return *system_; }
    int descriptor() const { return descriptor_; }

private:
    const std::shared_ptr<FileSystem> system_;  // Slices may outlive the engine.
    const int descriptor_;
};

// Owners: the keepers below, readers' slices.
using FilePointer = std::shared_ptr<OpenFile>;

// Any thread. A key is a segment's number, never used twice in one run.
class OpenFiles {
public:
    OpenFiles(std::shared_ptr<FileSystem> system, std::size_t most, std::size_t most_active)
        : system_{std::move(system)}, recent_{most}, active_{most_active} {}

    // Not kept here. When descriptors have run out, those kept are closed first.
    sdk::Result<FilePointer> open(const std::string& path, FileSystem::Open how);

    // For appends: kept until it is let go, or the oldest of too many. The log holds a weak one,
    // and opens the file again when that has died.
    void keep_active(std::uint64_t key, FilePointer file) { put(active_, key, std::move(file)); }
    void let_go(std::uint64_t key) { drop(active_, key); }

    FilePointer find(std::uint64_t key);  // Null if it is not open.
    void keep(std::uint64_t key, FilePointer file) { put(recent_, key, std::move(file)); }
    void forget(std::uint64_t key);  // Of both kinds.
    sdk::Result<FilePointer> find_or_open(std::uint64_t key, const std::string& path);

    // Why a file could not be brought in: a worker leaves it here for the reader that tries again.
    void note_failure(std::uint64_t key, sdk::Error error);
    std::optional<sdk::Error> take_failure(std::uint64_t key);

private:
    struct Kept {
        using Files = std::list<std::pair<std::uint64_t, FilePointer>>;

        explicit Kept(std::size_t limit) : most{limit} {}

        const std::size_t most;
        Files files{};  // The last put or found first.
        std::unordered_map<std::uint64_t, Files::iterator> where{};
    };
    void put(Kept& kept, std::uint64_t key, FilePointer file);
    void drop(Kept& kept, std::uint64_t key);

    const std::shared_ptr<FileSystem> system_;
    std::mutex mutex_;  // Shards and workers share the descriptors of one process.
    Kept recent_;
    Kept active_;
    std::unordered_map<std::uint64_t, sdk::Error> failures_;
};

}  // namespace leat::segment
