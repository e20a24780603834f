// Descriptors: one that closes itself when its last user goes, and the few that are kept open for
// files nobody appends to. A reader shares a file's ownership, so a descriptor that is dropped
// here, or whose file is unlinked, stays readable for as long as a slice names it.
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

// Owners: the log that appends to it, the cache below, readers' slices.
using FilePointer = std::shared_ptr<OpenFile>;

// Any thread. A key is a segment's number, never used twice in one run.
class OpenFiles {
public:
    OpenFiles(std::shared_ptr<FileSystem> system, std::size_t most)
        : system_{std::move(system)}, most_{most} {}

    // Not kept here. When descriptors have run out, those kept are closed first.
    sdk::Result<FilePointer> open(const std::string& path, FileSystem::Open how);

    FilePointer find(std::uint64_t key);  // Null if it is not open.
    void keep(std::uint64_t key, FilePointer file);
    void forget(std::uint64_t key);
    sdk::Result<FilePointer> find_or_open(std::uint64_t key, const std::string& path);

    // Why a file could not be brought in: a worker leaves it here for the reader that tries again.
    void note_failure(std::uint64_t key, sdk::Error error);
    std::optional<sdk::Error> take_failure(std::uint64_t key);

private:
    using Recent = std::list<std::pair<std::uint64_t, FilePointer>>;

    const std::shared_ptr<FileSystem> system_;
    const std::size_t most_;
    std::mutex mutex_;  // Shards and workers share the descriptors of one process.
    Recent recent_;     // Most recently used first.
    std::unordered_map<std::uint64_t, Recent::iterator> where_;
    std::unordered_map<std::uint64_t, sdk::Error> failures_;
};

}  // namespace leat::segment
