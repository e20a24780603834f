#include "core/log/compressed_batch.h"

#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::log {

std::vector<std::byte> compressed_batch(const wire::BatchBuilder& batch, compression::Codec codec) {
    if (codec == compression::Codec::none) return batch.build();
    return batch.build(static_cast<int>(codec), [codec](std::span<const std::byte> records) {
        auto bytes = compression::compress(codec, records);
        sdk::ensure(bytes.has_value(), "our own records can be compressed");
        return std::move(*bytes);
    });
}

}  // namespace leat::log
