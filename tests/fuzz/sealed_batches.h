// For targets that want what lies behind a checksum to be reached.
#pragma once

#include <cstddef>
#include <span>

#include "core/wire/record_batch.h"

namespace leat::fuzz {

// Of every whole batch from the beginning on.
inline void make_checksums_right(std::span<std::byte> bytes) {
    while (bytes.size() >= wire::batch_header_bytes) {
        wire::MutableBatchView view{bytes};
        if (!view.is_whole()) return;
        const std::size_t size = view.size();
        view.seal();
        bytes = bytes.subspan(size);
    }
}

}  // namespace leat::fuzz
