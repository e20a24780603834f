// What the hand-written decoders of Produce and Fetch share: the checks of the interpreter, without
// its tables. Fails as Reader does: once, and for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/wire/codec.h"
#include "core/wire/reader.h"
#include "leat/sdk/uuid.h"

namespace leat::wire {

class FastReader : public Reader {
public:
    FastReader(std::span<const std::byte> frame, bool flexible)
        : Reader{frame}, budget_{decode_budget(frame.size())}, flexible_{flexible} {}

    // Of an array whose elements take `element_size` in memory, which is charged. Not null.
    std::size_t count(std::size_t element_size) {
        const std::int64_t wire = length(flexible_);
        const auto n = static_cast<std::size_t>(wire);
        if (wire < 0 || n > remaining() || n * element_size > budget_) return fail(), 0;
        budget_ -= n * element_size;
        return n;
    }

    std::optional<std::string_view> nullable_string() {
        const std::int64_t size = string_length(flexible_);
        if (size < 0) return std::nullopt;
        return text(static_cast<std::size_t>(size));
    }

    std::string_view string() {
        const auto read = nullable_string();
        if (!read) fail();
        return read.value_or(std::string_view{});
    }

    sdk::Uuid uuid() {
        sdk::Uuid read;
        const auto bytes = take(read.bytes.size());
        if (!bytes.empty()) std::memcpy(read.bytes.data(), bytes.data(), bytes.size());
        return read;
    }

    // Calls known(tag), which reads the field, or answers false and then it is skipped.
    template <class Known>
    void tagged(Known&& known) {
        if (!flexible_) return;
        const std::uint32_t fields = uvarint();
        if (fields > max_tagged_fields) return fail();
        std::int64_t last = -1;
        for (std::uint32_t i = 0; i < fields && !failed(); ++i) {
            const std::uint32_t tag = uvarint();
            const std::uint32_t size = uvarint();
            if (static_cast<std::int64_t>(tag) <= last || size > remaining()) return fail();
            last = tag;
            const std::size_t after = remaining() - size;
            if (!known(tag)) take(size);
            if (remaining() != after) fail();
        }
    }

    void skip_tagged() {
        tagged([](std::uint32_t) { return false; });
    }

private:
    std::size_t budget_;
    bool flexible_;
};

}  // namespace leat::wire
