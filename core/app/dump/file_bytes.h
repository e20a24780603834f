// A file that is only looked at: opened for reading, its size taken once. It may be garbage, and a
// running broker may cut it meanwhile; then reads come short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "leat/sdk/result.h"

namespace leat::app {

class FileBytes {
public:
    // Errc::invalid_argument: no regular file. Errc::io: the system's reason.
    static sdk::Result<FileBytes> open(const std::filesystem::path& path);
    FileBytes(FileBytes&& other) noexcept;
    FileBytes& operator=(FileBytes&&) = delete;
    ~FileBytes();

    const std::filesystem::path& path() const { return path_; }
    std::uint64_t size() const { return size_; }

    // What is at `at`, up to the size of `into`; shorter where the file ends or cannot be read:
    // see error().
    std::span<const std::byte> read(std::uint64_t at, std::span<std::byte> into) const;
    // The first of `most` bytes; the caller has looked at size().
    std::vector<std::byte> whole(std::size_t most) const;
    int error() const { return error_; }  // errno of a read that failed; 0.

private:
    FileBytes(std::filesystem::path path, int descriptor, std::uint64_t size)
        : path_{std::move(path)}, descriptor_{descriptor}, size_{size} {}

    std::filesystem::path path_;
    int descriptor_;
    std::uint64_t size_;
    mutable int error_ = 0;
};

}  // namespace leat::app
