// Small files read whole, by their descriptor.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace leat::config {

class OpenFile {
public:
    // For reading; descriptor() is -1 and errno says why if it cannot be. A pipe is opened without
    // waiting for a writer: whoever wants a regular file asks fstat.
    explicit OpenFile(const std::filesystem::path& path);
    ~OpenFile();
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

// Appends up to `most` bytes and some more, so that the caller sees that there were too many.
// False: errno says why.
bool read_up_to(int descriptor, std::size_t most, std::string& out);

}  // namespace leat::config
