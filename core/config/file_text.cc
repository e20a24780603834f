#include "core/config/file_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace leat::config {

OpenFile::OpenFile(const std::filesystem::path& path)
    : descriptor_{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)} {}

OpenFile::~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool read_up_to(int descriptor, std::size_t most, std::string& out) {
    char bytes[4096];
    while (out.size() <= most) {
        const ssize_t size = ::read(descriptor, bytes, sizeof bytes);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return false;
        if (size == 0) return true;
        out.append(bytes, static_cast<std::size_t>(size));
    }
    return true;
}

}  // namespace leat::config
