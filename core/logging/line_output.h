// Where finished lines go: a descriptor whose reader may stall or go away. Not for several threads
// at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "leat/sdk/result.h"

namespace leat::logging {

class LineOutput {
public:
    // Appends to `file`; an empty path is stderr.
    static sdk::Result<LineOutput> open(const std::filesystem::path& file);

    LineOutput(LineOutput&& other) noexcept;
    LineOutput& operator=(LineOutput&&) = delete;
    ~LineOutput();  // Closes it, unless it is stderr.

    // The line with its end, whole, or it is dropped and counted: what was dropped is said as soon
    // as somebody reads again.
    void write(std::string_view line);

private:
    explicit LineOutput(int descriptor) : descriptor_{descriptor} {}
    bool write_whole(std::string_view text);

    int descriptor_;
    std::uint64_t dropped_ = 0;
};

}  // namespace leat::logging
