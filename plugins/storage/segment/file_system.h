// Every call to the operating system that this plugin makes goes through here, so that tests can
// fail the n-th one and crash at each of them.
//
// Answers are those of the system calls of similar name, but an error is -errno. Any thread; calls
// for different files and folders may overlap. Interrupted calls are repeated inside.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "leat/sdk/result.h"

namespace leat::segment {

class FileSystem {
public:
    enum class Open { existing, fresh };  // fresh: made if missing, emptied if not.

    virtual ~FileSystem() = default;

    virtual int open(const std::string& path, Open how) = 0;
    virtual int close(int file) = 0;
    virtual std::int64_t size(int file) = 0;

    // Both may do less than asked for; 0 from read is the end of the file.
    virtual std::int64_t write(int file, std::span<const iovec> parts, std::uint64_t at) = 0;
    virtual std::int64_t read(int file, std::span<std::byte> into, std::uint64_t at) = 0;
    // As read, but -EAGAIN where it would wait for a device.
    virtual std::int64_t read_resident(int file, std::span<std::byte> into, std::uint64_t at) = 0;
    // Whether reading or sending this range will wait for no device.
    virtual bool resident(int file, std::uint64_t at, std::uint64_t size) = 0;

    virtual int truncate(int file, std::uint64_t size) = 0;
    // Nothing more will be appended to this file: what was prepared for that may go.
    virtual int finish(int) { return 0; }
    virtual int sync(int file) = 0;  // Data, and what is needed to find it again.
    virtual int sync_folder(const std::string& path) = 0;
    virtual int sync_everything(const std::string& path) = 0;  // On the device of this folder.

    // Hints; neither waits for the device to be done.
    virtual void start_writeback(int file, std::uint64_t at, std::uint64_t size) = 0;
    virtual void read_ahead(int file, std::uint64_t at, std::uint64_t size) = 0;

    virtual int rename(const std::string& from, const std::string& to) = 0;
    virtual int unlink(const std::string& path) = 0;
    virtual int make_folder(const std::string& path) = 0;
    virtual int remove_folder(const std::string& path) = 0;
    // Names without "." and "..", in no order.
    virtual int list(const std::string& path, std::vector<std::string>& names) = 0;
};

std::unique_ptr<FileSystem> posix_file_system();

// An Error for `error` (-errno): "cannot sync /data/t-0/0.log: Input/output error".
sdk::Error failure(std::int64_t error, const char* action, const std::string& path);

}  // namespace leat::segment
