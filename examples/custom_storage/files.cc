#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sealed {

using leat::sdk::Errc;
using leat::sdk::Error;
using leat::sdk::Result;
using leat::sdk::Status;

Error failed(const std::string& what, const Path& path) {
    const int why = errno;
    const Errc code = why == ENOSPC || why == EDQUOT ? Errc::no_space
                      : why == ENOENT                ? Errc::not_found
                                                     : Errc::io;
    return {code, path.string() + " " + what + ": " + std::strerror(why)};
}

Result<Descriptor> Descriptor::open(const Path& path, int flags) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (fd < 0) return failed("cannot be opened", path);
    return Descriptor{fd};
}

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

Status write_at(int fd, const Path& path, std::uint64_t position,
                std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(position));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return failed("cannot be written", path);
        position += static_cast<std::uint64_t>(put);
        bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return {};
}

Result<std::size_t> read_at(int fd, const Path& path, std::uint64_t position,
                            std::span<std::byte> into) {
    std::size_t got = 0;
    while (got < into.size()) {
        const ssize_t now =
            ::pread(fd, into.data() + got, into.size() - got, static_cast<off_t>(position + got));
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return failed("cannot be read", path);
        if (now == 0) break;
        got += static_cast<std::size_t>(now);
    }
    return got;
}

Status sync(int fd, const Path& path) {
    if (::fdatasync(fd) != 0) return failed("cannot be synced", path);
    return {};
}

Status sync_folder(const Path& folder) {
    const auto opened = Descriptor::open(folder, O_RDONLY | O_DIRECTORY);
    if (!opened) return opened.error();
    if (::fsync(opened->get()) != 0) return failed("cannot be synced", folder);
    return {};
}

Result<std::string> read_whole(const Path& path) {
    const auto opened = Descriptor::open(path, O_RDONLY);
    if (!opened) return opened.error();
    struct stat about {};
    if (::fstat(opened->get(), &about) != 0) return failed("cannot be read", path);
    std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
    const auto got = read_at(opened->get(), path, 0, std::as_writable_bytes(std::span{bytes}));
    if (!got) return got.error();
    bytes.resize(*got);
    return bytes;
}

Status replace(const Path& path, std::string_view bytes) {
    const Path fresh = path.string() + ".new";
    const auto write = [&]() -> Status {
        const auto opened = Descriptor::open(fresh, O_WRONLY | O_CREAT | O_TRUNC);
        if (!opened) return opened.error();
        if (auto done = write_at(opened->get(), fresh, 0, std::as_bytes(std::span{bytes})); !done)
            return done;
        return sync(opened->get(), fresh);
    };
    Status done = write();
    if (done && ::rename(fresh.c_str(), path.c_str()) != 0) done = failed("cannot be made", path);
    if (!done) {
        ::unlink(fresh.c_str());
        return done;
    }
    return sync_folder(path.parent_path());
}

Status remove_file(const Path& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failed("cannot be removed", path);
    return {};
}

}  // namespace sealed
