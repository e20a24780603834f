#include "core/log/record_walk.h"

#include <utility>

namespace leat::log {

sdk::Result<OpenedRecords> OpenedRecords::open(const wire::BatchView& batch,
                                               const compression::Bounds& bounds) {
    OpenedRecords opened;
    const auto codec = compression::codec_of(batch.codec_id());
    if (!codec) return sdk::Error{sdk::Errc::unsupported, "the batch names no known codec"};
    if (*codec == compression::Codec::none) {
        opened.plain_ = batch.records();
        return opened;
    }
    auto bytes = compression::decompress(*codec, batch.records(), bounds);
    if (!bytes) return bytes.error();
    opened.decompressed_ = std::move(*bytes);
    return opened;
}

}  // namespace leat::log
