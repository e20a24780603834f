#include "core/app/dump/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace leat::app {

sdk::Result<FileBytes> FileBytes::open(const std::filesystem::path& path) {
    // A pipe would wait for its writer.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return sdk::Error{sdk::Errc::io, std::strerror(errno)};
    struct stat status {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(file);
        return sdk::Error{sdk::Errc::invalid_argument, "not a regular file"};
    }
    return FileBytes{path, file, static_cast<std::uint64_t>(status.st_size)};
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : path_{std::move(other.path_)},
      descriptor_{std::exchange(other.descriptor_, -1)},
      size_{other.size_},
      error_{other.error_} {}

FileBytes::~FileBytes() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::span<const std::byte> FileBytes::read(std::uint64_t at, std::span<std::byte> into) const {
    std::size_t filled = 0;
    const std::uint64_t left = at < size_ ? size_ - at : 0;
    into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left)));
    while (filled < into.size()) {
        const ssize_t got = ::pread(descriptor_, into.data() + filled, into.size() - filled,
                                    static_cast<off_t>(at + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) error_ = errno;
        if (got <= 0) break;
        filled += static_cast<std::size_t>(got);
    }
    return into.first(filled);
}

std::vector<std::byte> FileBytes::whole(std::size_t most) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size_, most)));
    bytes.resize(read(0, bytes).size());
    return bytes;
}

}  // namespace leat::app
