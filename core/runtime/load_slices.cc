#include "core/runtime/load_slices.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace leat::runtime {
namespace {

sdk::Status load_file(const sdk::FileSlice& slice, std::byte* to) {
    std::size_t have = 0;
    while (have < slice.size) {
        const ssize_t n = ::pread(slice.descriptor, to + have, slice.size - have,
                                  static_cast<off_t>(slice.position + have));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return sdk::Error{sdk::Errc::io, std::string{"cannot read: "} + std::strerror(errno)};
        if (n == 0) return sdk::Error{sdk::Errc::io, "a file is shorter than what is in it"};
        have += static_cast<std::size_t>(n);
    }
    return {};
}

}  // namespace

sdk::Status load(std::span<const sdk::Slice> slices, std::vector<std::byte>& bytes) {
    std::size_t total = 0;
    for (const sdk::Slice& slice : slices) total += sdk::size_of(slice);
    bytes.resize(total);
    std::byte* to = bytes.data();
    for (const sdk::Slice& slice : slices) {
        if (const auto* memory = std::get_if<sdk::MemorySlice>(&slice)) {
            if (!memory->bytes.empty()) std::memcpy(to, memory->bytes.data(), memory->bytes.size());
        } else if (const auto status = load_file(std::get<sdk::FileSlice>(slice), to); !status) {
            return status;
        }
        to += sdk::size_of(slice);
    }
    return {};
}

}  // namespace leat::runtime
