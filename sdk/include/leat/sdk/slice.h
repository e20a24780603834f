// Where bytes are that are read or sent without being copied. Both kinds keep what they name alive
// for as long as the slice lives, whatever happens to the log meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

namespace leat::sdk {

// Shared ownership: the log and every reader of a slice are owners, on different threads.
struct MemorySlice {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
    // A log keeps these bytes anyway and its engine accounts for them: to send them costs nothing
    // of the budget for answers. The broker says so of what it reads from logs.
    bool lent = false;
};

struct FileSlice {
    std::shared_ptr<const void> owner;  // Keeps `descriptor` open.
    int descriptor = -1;
    std::uint64_t position = 0;
    std::size_t size = 0;
};

using Slice = std::variant<MemorySlice, FileSlice>;

inline std::size_t size_of(const Slice& slice) {
    if (const auto* memory = std::get_if<MemorySlice>(&slice)) return memory->bytes.size();
    return std::get<FileSlice>(slice).size;
}

}  // namespace leat::sdk
