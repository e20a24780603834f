// An input taken apart from the front: settings first, then pieces of bytes. What is not there any
// more reads as zero.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tests/fuzz/targets.h"

namespace leat::fuzz {

class Pieces {
public:
    explicit Pieces(Input input) : rest_{input} {}

    bool empty() const { return rest_.empty(); }
    std::uint8_t byte() {
        const Bytes one = take(1);
        return one.empty() ? 0 : std::to_integer<std::uint8_t>(one[0]);
    }
    std::uint16_t number() {
        const std::uint16_t high = byte();
        return static_cast<std::uint16_t>(high << 8 | byte());
    }
    bool flag() { return (byte() & 1) != 0; }
    // Two bytes of length, then so many. A block of its own, so that a sanitizer sees each read
    // beyond it.
    Bytes piece() {
        const std::size_t size = number();
        return take(size);
    }
    Bytes rest() { return take(rest_.size()); }

private:
    Bytes take(std::size_t size) {
        size = std::min(size, rest_.size());
        Bytes taken(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(size));
        rest_ = rest_.subspan(size);
        return taken;
    }

    Input rest_;
};

// The other way round, to make inputs.
class PiecesWriter {
public:
    PiecesWriter& byte(unsigned value) {
        bytes_.push_back(static_cast<std::byte>(value));
        return *this;
    }
    PiecesWriter& number(std::size_t value) {
        return byte(static_cast<unsigned>(value >> 8 & 255))
            .byte(static_cast<unsigned>(value & 255));
    }
    PiecesWriter& piece(Input bytes) { return number(bytes.size()).rest(bytes); }
    PiecesWriter& rest(Input bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        return *this;
    }
    const Bytes& bytes() const { return bytes_; }

private:
    Bytes bytes_;
};

}  // namespace leat::fuzz
