// The records of a whole batch, decompressed if need be.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/compression/codec.h"
#include "core/wire/record_batch.h"
#include "core/wire/record_reader.h"
#include "leat/sdk/result.h"

namespace leat::log {

class OpenedRecords {
public:
    // Errc::unsupported for a codec that is none, else as compression::decompress.
    static sdk::Result<OpenedRecords> open(const wire::BatchView& batch,
                                           const compression::Bounds& bounds);

    std::span<const std::byte> bytes() const {
        return decompressed_.empty() ? plain_ : std::span{decompressed_};
    }
    wire::RecordReader reader() const { return wire::RecordReader{bytes()}; }

private:
    std::span<const std::byte> plain_;      // Of the batch, if it is not compressed.
    std::vector<std::byte> decompressed_;
};

}  // namespace leat::log
