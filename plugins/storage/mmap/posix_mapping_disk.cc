#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "guarded_copy.h"
#include "mapping_disk.h"

namespace leat::mmap {
namespace {

constexpr std::size_t zeros_per_write = 256 * 1024;

class PosixMappingDisk final : public MappingDisk {
public:
    PosixMappingDisk() { guard_against_bus_errors(); }

    int fill_with_zeros(int file, std::uint64_t bytes) override {
        // Says at once whether there is room. Where it is not known the writes below will tell.
        const int reserved = ::fallocate(file, 0, 0, static_cast<off_t>(bytes));
        if (reserved != 0 && errno == ENOSPC) return -ENOSPC;
        // Written, not only reserved: the pages are in the cache then, a sync of what is stored
        // later has no extents to convert, and nothing of a recycled file's batches is left.
        const std::vector<std::byte> zeros(zeros_per_write);
        for (std::uint64_t at = 0; at < bytes;) {
            const std::size_t size =
                static_cast<std::size_t>(std::min<std::uint64_t>(zeros.size(), bytes - at));
            const ssize_t wrote = ::pwrite(file, zeros.data(), size, static_cast<off_t>(at));
            if (wrote < 0 && errno != EINTR) return -errno;
            if (wrote <= 0) continue;
            if (const int error = write_back(file, at, wrote); error < 0) return error;
            at += static_cast<std::uint64_t>(wrote);
        }
        return ::fdatasync(file) == 0 ? 0 : -errno;
    }

    // Piece by piece: the sync of somebody's batch waits for one piece, not for a whole file that
    // was left to the end. An error that is told here is not told again by fdatasync.
    static int write_back(int file, std::uint64_t at, ssize_t bytes) {
        const int done = ::sync_file_range(
            file, static_cast<off_t>(at), bytes,
            SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
        return done == 0 || errno == ENOSYS ? 0 : -errno;
    }

    int map(int file, std::uint64_t bytes, std::byte*& start) override {
        void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (at == MAP_FAILED) return -errno;
        // For reading: populating for writing would make every page dirty, and the first sync of a
        // batch would write the whole file.
        if (::madvise(at, bytes, MADV_POPULATE_READ) != 0 && errno != EINVAL) {
            const int error = errno;
            ::munmap(at, bytes);
            return error == EFAULT ? -EIO : -error;
        }
        // Nobody reads through it, and appends touch each page once.
        ::madvise(at, bytes, MADV_RANDOM);
        start = static_cast<std::byte*>(at);
        return 0;
    }

    void unmap(std::byte* start, std::uint64_t bytes) override { ::munmap(start, bytes); }

    int store(int, std::byte* to, std::span<const iovec> parts) override {
        return guarded_copy(to, parts) ? 0 : -EIO;
    }
};

}  // namespace

std::unique_ptr<MappingDisk> posix_mapping_disk() {
    return std::make_unique<PosixMappingDisk>();
}

}  // namespace leat::mmap
