#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "file_system.h"

namespace leat::segment {
namespace {

// cachestat(2), Linux 6.5: Debian 12's headers do not know it yet. Declared as the kernel has it.
constexpr long cachestat_number = 451;
struct CachestatRange {
    std::uint64_t offset;
    std::uint64_t length;
};
struct Cachestat {
    std::uint64_t cached;
    std::uint64_t dirty;
    std::uint64_t writeback;
    std::uint64_t evicted;
    std::uint64_t recently_evicted;
};

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t probe_bytes = 64 * 1024;  // Without cachestat: how far probes are apart.

template <class Call>
auto repeated(Call&& call) -> decltype(call()) {
    for (;;) {
        const auto answer = call();
        if (answer >= 0) return answer;
        if (errno != EINTR) return static_cast<decltype(call())>(-errno);
    }
}

class PosixFileSystem final : public FileSystem {
public:
    int open(const std::string& path, Open how) override {
        const int flags = O_RDWR | O_CLOEXEC | (how == Open::fresh ? O_CREAT | O_TRUNC : 0);
        return repeated([&] { return ::open(path.c_str(), flags, 0644); });
    }
    int close(int file) override { return ::close(file) == 0 ? 0 : -errno; }
    std::int64_t size(int file) override {
        struct stat status {};
        return ::fstat(file, &status) == 0 ? static_cast<std::int64_t>(status.st_size) : -errno;
    }

    std::int64_t write(int file, std::span<const iovec> parts, std::uint64_t at) override {
        return repeated([&] {
            return ::pwritev(file, parts.data(), static_cast<int>(parts.size()),
                             static_cast<off_t>(at));
        });
    }
    std::int64_t read(int file, std::span<std::byte> into, std::uint64_t at) override {
        return repeated(
            [&] { return ::pread(file, into.data(), into.size(), static_cast<off_t>(at)); });
    }
    std::int64_t read_resident(int file, std::span<std::byte> into, std::uint64_t at) override {
        const iovec part{into.data(), into.size()};
        const std::int64_t got = repeated(
            [&] { return ::preadv2(file, &part, 1, static_cast<off_t>(at), RWF_NOWAIT); });
        // Some file systems cannot promise not to wait. A short wait is better than no answer.
        if (got == -EOPNOTSUPP) return read(file, into, at);
        return got;
    }

    bool resident(int file, std::uint64_t at, std::uint64_t size) override {
        if (size == 0) return true;
        const std::uint64_t first = at / page_bytes;
        const std::uint64_t last = (at + size - 1) / page_bytes;
        const CachestatRange range{first * page_bytes, (last - first + 1) * page_bytes};
        Cachestat found{};
        if (::syscall(cachestat_number, file, &range, &found, 0) == 0) {
            return found.cached >= last - first + 1;
        }
        std::byte probe{};
        for (std::uint64_t i = 0; i < size; i += probe_bytes) {
            if (read_resident(file, {&probe, 1}, at + i) == -EAGAIN) return false;
        }
        return read_resident(file, {&probe, 1}, at + size - 1) != -EAGAIN;
    }

    int truncate(int file, std::uint64_t size) override {
        return repeated([&] { return ::ftruncate(file, static_cast<off_t>(size)); });
    }
    int sync(int file) override {
        // Never repeated: a second fdatasync after a failed one says that all is well.
        return ::fdatasync(file) == 0 ? 0 : -errno;
    }
    int sync_folder(const std::string& path) override {
        const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0) return -errno;
        const int outcome = ::fsync(folder) == 0 ? 0 : -errno;
        ::close(folder);
        return outcome;
    }

    int sync_everything(const std::string& path) override {
        const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0) return -errno;
        const int outcome = ::syncfs(folder) == 0 ? 0 : -errno;
        ::close(folder);
        return outcome;
    }

    void start_writeback(int file, std::uint64_t at, std::uint64_t size) override {
        ::sync_file_range(file, static_cast<off_t>(at), static_cast<off_t>(size),
                          SYNC_FILE_RANGE_WRITE);
    }
    void read_ahead(int file, std::uint64_t at, std::uint64_t size) override {
        ::readahead(file, static_cast<off_t>(at), size);
    }

    int rename(const std::string& from, const std::string& to) override {
        return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : -errno;
    }
    int unlink(const std::string& path) override {
        return ::unlink(path.c_str()) == 0 ? 0 : -errno;
    }
    int make_folder(const std::string& path) override {
        return ::mkdir(path.c_str(), 0755) == 0 ? 0 : -errno;
    }
    int remove_folder(const std::string& path) override {
        return ::rmdir(path.c_str()) == 0 ? 0 : -errno;
    }
    int list(const std::string& path, std::vector<std::string>& names) override {
        DIR* folder = ::opendir(path.c_str());
        if (folder == nullptr) return -errno;
        errno = 0;
        while (const dirent* entry = ::readdir(folder)) {
            const std::string_view name{entry->d_name};
            if (name != "." && name != "..") names.emplace_back(name);
        }
        const int outcome = -errno;
        ::closedir(folder);
        return outcome;
    }
};

}  // namespace

std::unique_ptr<FileSystem> posix_file_system() { return std::make_unique<PosixFileSystem>(); }

sdk::Error failure(std::int64_t error, const char* action, const std::string& path) {
    const int number = static_cast<int>(-error);
    sdk::Errc code = sdk::Errc::io;
    if (number == ENOSPC || number == EDQUOT) code = sdk::Errc::no_space;
    if (number == ENOENT) code = sdk::Errc::not_found;
    return {code, std::string{"cannot "} + action + " " + path + ": " +
                      std::generic_category().message(number)};
}

}  // namespace leat::segment
