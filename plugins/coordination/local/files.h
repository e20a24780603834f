// The system calls that the journal needs and no others, as an interface, so that a test can fail
// or crash each one. Positions and sizes are in bytes. [worker], but for what LocalBackend::start
// does.
//
// Errors     Errc::not_found (no such file), Errc::no_space (the device is full), Errc::closed
//            (another process holds the lock), Errc::io (everything else). Each names the path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "leat/sdk/result.h"

namespace leat::local {

// An open file; closed, and its lock given back, by the destructor.
class File {
public:
    virtual ~File() = default;

    virtual sdk::Result<std::string> read_whole(std::uint64_t most_bytes) = 0;
    // All of `bytes`; after an error any part of them may have been written.
    virtual sdk::Status write_at(std::uint64_t position, std::string_view bytes) = 0;
    virtual sdk::Status cut(std::uint64_t size) = 0;
    virtual sdk::Status sync() = 0;  // Contents and size are on the device.
};

class Files {
public:
    virtual ~Files() = default;

    virtual sdk::Result<std::unique_ptr<File>> open(const std::filesystem::path& path) = 0;
    // Empty, whatever was there.
    virtual sdk::Result<std::unique_ptr<File>> create(const std::filesystem::path& path) = 0;
    // Makes the file if need be and holds it for this instance alone until it is closed.
    virtual sdk::Result<std::unique_ptr<File>> lock(const std::filesystem::path& path) = 0;
    virtual sdk::Status rename(const std::filesystem::path& from,
                               const std::filesystem::path& to) = 0;
    virtual sdk::Status remove(const std::filesystem::path& path) = 0;
    virtual sdk::Status sync_folder(const std::filesystem::path& folder) = 0;  // Names are durable.
};

std::unique_ptr<Files> system_files();

}  // namespace leat::local
