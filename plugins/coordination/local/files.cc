#include "files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace leat::local {

namespace {

using sdk::Errc;
using sdk::Error;
using sdk::Result;
using sdk::Status;

Error failure(const char* verb, const std::filesystem::path& path, int number) {
    Errc code = Errc::io;
    if (number == ENOENT) code = Errc::not_found;
    if (number == ENOSPC || number == EDQUOT) code = Errc::no_space;
    return {code, "cannot " + std::string{verb} + " " + path.string() + ": " +
                      std::generic_category().message(number) +
                      (code == Errc::no_space ? "; make room there" : "")};
}

class SystemFile final : public File {
public:
    SystemFile(int descriptor, std::filesystem::path path)
        : descriptor_{descriptor}, path_{std::move(path)} {}
    ~SystemFile() override { ::close(descriptor_); }  // Everything that matters was synced before.
    SystemFile(const SystemFile&) = delete;
    SystemFile& operator=(const SystemFile&) = delete;

    Result<std::string> read_whole(std::uint64_t most_bytes) override {
        struct stat facts {};
        if (::fstat(descriptor_, &facts) != 0) return failure("look at", path_, errno);
        const auto size = static_cast<std::uint64_t>(facts.st_size);
        if (size > most_bytes)
            return Error{Errc::limit, path_.string() + " has " + std::to_string(size) +
                                          " bytes, more than this program ever writes"};
        std::string bytes(size, '\0');
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t got = ::pread(descriptor_, bytes.data() + done, bytes.size() - done,
                                        static_cast<off_t>(done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return failure("read", path_, errno);
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        bytes.resize(done);
        return bytes;
    }

    Status write_at(std::uint64_t position, std::string_view bytes) override {
        while (!bytes.empty()) {
            const ssize_t put =
                ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position));
            if (put < 0 && errno == EINTR) continue;
            if (put <= 0) return failure("write", path_, put < 0 ? errno : EIO);
            position += static_cast<std::uint64_t>(put);
            bytes.remove_prefix(static_cast<std::size_t>(put));
        }
        return {};
    }

    Status cut(std::uint64_t size) override {
        if (::ftruncate(descriptor_, static_cast<off_t>(size)) == 0) return {};
        return failure("truncate", path_, errno);
    }

    Status sync() override {
        if (::fdatasync(descriptor_) == 0) return {};
        return failure("sync", path_, errno);
    }

private:
    const int descriptor_;
    const std::filesystem::path path_;
};

Result<std::unique_ptr<File>> opened(const std::filesystem::path& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0640);
    if (descriptor < 0) return failure("open", path, errno);
    return std::unique_ptr<File>{std::make_unique<SystemFile>(descriptor, path)};
}

class SystemFiles final : public Files {
public:
    Result<std::unique_ptr<File>> open(const std::filesystem::path& path) override {
        return opened(path, O_RDWR);
    }
    Result<std::unique_ptr<File>> create(const std::filesystem::path& path) override {
        return opened(path, O_RDWR | O_CREAT | O_TRUNC);
    }
    Result<std::unique_ptr<File>> lock(const std::filesystem::path& path) override {
        const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
        if (descriptor < 0) return failure("open", path, errno);
        auto file = std::make_unique<SystemFile>(descriptor, path);
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            return std::unique_ptr<File>{std::move(file)};
        if (errno != EWOULDBLOCK) return failure("lock", path, errno);
        return Error{Errc::closed, path.parent_path().string() +
                                       " is in use by another process: stop it first, or give this "
                                       "one a data folder of its own"};
    }
    Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
        if (::rename(from.c_str(), to.c_str()) == 0) return {};
        return failure("rename", from, errno);
    }
    Status remove(const std::filesystem::path& path) override {
        if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
        return failure("remove", path, errno);
    }
    Status sync_folder(const std::filesystem::path& folder) override {
        const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (descriptor < 0) return failure("open", folder, errno);
        const int failed = ::fsync(descriptor) == 0 ? 0 : errno;
        ::close(descriptor);
        if (failed != 0) return failure("sync", folder, failed);
        return {};
    }
};

}  // namespace

std::unique_ptr<Files> system_files() { return std::make_unique<SystemFiles>(); }

}  // namespace leat::local
