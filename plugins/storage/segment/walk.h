// Reading a segment file batch by batch: by headers alone, to find a boundary, or with every
// checksum, after a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "open_files.h"
#include "segment.h"

namespace leat::segment {

// A part of a file in a buffer of the caller's, filled on demand.
class Window {
public:
    enum class May { wait, not_wait };

    Window(const OpenFile& file, std::uint64_t end, std::span<std::byte> buffer, May may)
        : file_{file}, end_{end}, buffer_{buffer}, may_{may} {}

    // The `size` bytes at `at` (at most the buffer's), fewer only where the file ends. Returns 0,
    // or -errno: -EAGAIN where it would have to wait.
    std::int64_t get(std::uint64_t at, std::size_t size, std::span<const std::byte>& out);

    std::uint64_t end() const { return end_; }
    std::size_t capacity() const { return buffer_.size(); }

private:
    const OpenFile& file_;
    const std::uint64_t end_;
    const std::span<std::byte> buffer_;
    const May may_;
    std::uint64_t start_ = 0;
    std::size_t filled_ = 0;
};

// What is at a position of a file.
struct Found {
    enum class Kind { batch, end, damage, would_wait, failed };
    Kind kind = Kind::end;
    BatchHeader header{};
    std::int64_t error = 0;       // -errno, if it failed.
    const char* damage = "";  // What is wrong, in words.
};

// Looks at the header only; a batch that reaches beyond the end of the file is damage.
Found header_at(Window& window, std::uint64_t position);
// Its checksum too.
Found whole_batch_at(Window& window, std::uint64_t position);

// Walks the file of `segment`, which knows its base alone, from the start, and fills in everything
// else, index included, from the batches found to be good.
struct Walked {
    std::uint64_t file_bytes = 0;
    std::int64_t error = 0;  // -errno if the device refused; else what follows counts.
    const char* damage = nullptr;  // Why it ended before the file did.
};
enum class Check { headers, checksums };
Walked walk(const OpenFile& file, Segment& segment, std::uint64_t step, Check check,
            std::int32_t& newest_epoch);

// The same from what the index says to be the last place: cheap, and enough where no crash was.
// Ends at position `size`.
Walked walk_tail(const OpenFile& file, Segment& segment, std::uint64_t step, std::uint64_t size);

}  // namespace leat::segment
