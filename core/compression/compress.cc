#include "core/compression/codec.h"
#include "core/compression/codecs.h"

namespace leat::compression {

Codec recompressed_with(Codec codec) {
    return codec;
}

sdk::Result<std::vector<std::byte>> compress(Codec codec, std::span<const std::byte> input) {
    switch (codec) {
        case Codec::none: return Output(input.begin(), input.end());
        case Codec::gzip: return compress_gzip(input);
        case Codec::snappy: return compress_snappy(input);
        case Codec::lz4: return compress_lz4(input);
        case Codec::zstd: return compress_zstd(input);
    }
    return sdk::Error{sdk::Errc::invalid_argument, "there is no such codec"};
}

}  // namespace leat::compression
