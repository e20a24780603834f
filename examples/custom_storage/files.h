// Files as this engine needs them. Every failure is a sentence with the path: Errc::no_space for a
// full device, Errc::not_found for what is not there, else Errc::io.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "leat/sdk/result.h"

namespace sealed {

using Path = std::filesystem::path;

class Descriptor {
public:
    static leat::sdk::Result<Descriptor> open(const Path& path, int flags);

    Descriptor(Descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();
    int get() const { return fd_; }

private:
    explicit Descriptor(int fd) : fd_{fd} {}
    int fd_ = -1;
};

leat::sdk::Error failed(const std::string& what, const Path& path);  // From errno.

leat::sdk::Status write_at(int fd, const Path& path, std::uint64_t position,
                           std::span<const std::byte> bytes);
// How many bytes there were, at most what fits.
leat::sdk::Result<std::size_t> read_at(int fd, const Path& path, std::uint64_t position,
                                       std::span<std::byte> into);
leat::sdk::Status sync(int fd, const Path& path);
leat::sdk::Status sync_folder(const Path& folder);
leat::sdk::Result<std::string> read_whole(const Path& path);
// The old file or the new one, whatever happens; durable when it returns.
leat::sdk::Status replace(const Path& path, std::string_view bytes);
leat::sdk::Status remove_file(const Path& path);  // Fine if there is none.

}  // namespace sealed
