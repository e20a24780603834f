// Where a decompressor writes: memory that doubles as output comes, up to what the bounds allow for
// this much input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/compression/codec.h"

namespace leat::compression {

class BoundedOutput {
public:
    BoundedOutput(const Bounds& bounds, std::size_t input)
        : limit_{std::min(bounds.max_output,
                          std::max(bounds.free_output, input * bounds.max_ratio))} {
        bytes_.resize(std::min(limit_, std::max<std::size_t>(4 * input, smallest)));
    }

    bool full() const { return used_ == limit_; }
    std::size_t left() const { return limit_ - used_; }
    bool empty() const { return used_ == 0; }

    // Room for at least one byte; not to be asked when full().
    std::span<std::byte> room() {
        if (used_ == bytes_.size()) bytes_.resize(std::min(limit_, 2 * bytes_.size()));
        return std::span{bytes_}.subspan(used_);
    }
    // Room for exactly so many bytes; not more than left().
    std::span<std::byte> room(std::size_t wanted) {
        if (bytes_.size() - used_ < wanted) bytes_.resize(used_ + wanted);
        return std::span{bytes_}.subspan(used_, wanted);
    }
    void wrote(std::size_t bytes) { used_ += bytes; }

    std::vector<std::byte> take() {
        bytes_.resize(used_);
        return std::move(bytes_);
    }

private:
    static constexpr std::size_t smallest = 4096;

    std::size_t limit_;
    std::vector<std::byte> bytes_;
    std::size_t used_ = 0;
};

}  // namespace leat::compression
