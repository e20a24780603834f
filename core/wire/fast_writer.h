// What the hand-written encoders of Produce and Fetch share. Space is claimed once for many fields;
// nothing is checked field by field, so a claim has to cover what is written until the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/wire/codec.h"
#include "core/wire/reader.h"
#include "leat/sdk/ensure.h"
#include "leat/sdk/uuid.h"

namespace leat::wire {

class FastWriter {
public:
    static constexpr std::size_t length_bytes = 5;  // The longest that a length or count can be.

    // Appends to `out`, which is too long until finish().
    FastWriter(Buffer& out, bool flexible)
        : out_{out}, position_{out.size()}, claimed_{out.size()}, flexible_{flexible} {}

    void claim(std::size_t bytes) {
        sdk::ensure(position_ <= claimed_, "a claim covers what is written after it");
        claimed_ = position_ + bytes;
        if (claimed_ > out_.size()) out_.resize(claimed_ + claimed_ / 2);
    }

    template <class T>
    void number(T value) {
        const T wire = from_big_endian(value);
        std::memcpy(out_.data() + position_, &wire, sizeof wire);
        position_ += sizeof wire;
    }

    void bytes(const void* data, std::size_t size) {
        if (size != 0) std::memcpy(out_.data() + position_, data, size);
        position_ += size;
    }
    void uuid(const sdk::Uuid& uuid) { bytes(uuid.bytes.data(), uuid.bytes.size()); }

    void uvarint(std::uint32_t value) {
        for (; value >= 0x80; value >>= 7) number(static_cast<std::uint8_t>(value | 0x80));
        number(static_cast<std::uint8_t>(value));
    }

    // Of an array, bytes or records; -1 is null.
    void length(std::int64_t size) {
        if (size > INT32_MAX) too_long_ = true;
        flexible_ ? uvarint(static_cast<std::uint32_t>(size + 1))
                  : number(static_cast<std::int32_t>(size));
    }

    void string(std::optional<std::string_view> text) {
        const std::int64_t size = text ? static_cast<std::int64_t>(text->size()) : -1;
        if (size > INT16_MAX) too_long_ = true;
        flexible_ ? uvarint(static_cast<std::uint32_t>(size + 1))
                  : number(static_cast<std::int16_t>(size));
        if (text) bytes(text->data(), text->size());
    }

    void no_tagged() {
        if (flexible_) number(std::uint8_t{0});
    }

    std::size_t position() const { return position_; }
    // True when a length did not fit; what was written is then worth nothing.
    bool too_long() const { return too_long_; }

    void finish() {
        sdk::ensure(position_ <= claimed_, "a claim covers what is written after it");
        out_.resize(position_);
    }

private:
    Buffer& out_;
    std::size_t position_;
    std::size_t claimed_;
    bool flexible_;
    bool too_long_ = false;
};

}  // namespace leat::wire
