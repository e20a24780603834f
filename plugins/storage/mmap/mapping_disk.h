// What this engine asks of the operating system beyond the files of plugins/storage/segment.
// A seam of its own, so that tests can fail and crash in it. Errors are -errno.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace leat::mmap {

class MappingDisk {
public:
    virtual ~MappingDisk() = default;

    // [worker] Makes the file `bytes` zeros, in blocks of their own on the device and in the page
    // cache; durable when it returns. -ENOSPC where the device is full: nothing later can find out.
    virtual int fill_with_zeros(int file, std::uint64_t bytes) = 0;
    // [worker] Maps the file's first `bytes`, every page of them present.
    virtual int map(int file, std::uint64_t bytes, std::byte*& start) = 0;
    // Any thread.
    virtual void unmap(std::byte* start, std::uint64_t bytes) = 0;
    // [shard] Copies `parts` to `to`, which lies in a mapping of `file`. -EIO where a plain copy
    // would raise SIGBUS: a device that fails, a file that somebody else made shorter.
    virtual int store(int file, std::byte* to, std::span<const iovec> parts) = 0;
};

std::unique_ptr<MappingDisk> posix_mapping_disk();

// One mapping. Unmapped with its last owner: the file that is appended to, a task for a worker.
class Mapping {
public:
    Mapping(std::shared_ptr<MappingDisk> disk, std::byte* start, std::uint64_t bytes)
        : disk_{std::move(disk)}, start_{start}, bytes_{bytes} {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { disk_->unmap(start_, bytes_); }

    MappingDisk& disk() const { return *disk_; }
    std::byte* start() const { return start_; }
    std::uint64_t bytes() const { return bytes_; }

private:
    const std::shared_ptr<MappingDisk> disk_;
    std::byte* const start_;
    const std::uint64_t bytes_;
};

}  // namespace leat::mmap
