// In the place of compress.cc in a small program (LEAT_SMALL_PROGRAM): lz4 alone is written. What
// writes zstd would be a seventh of the program, and whoever reads zstd reads lz4.
#include "core/compression/codec.h"
#include "core/compression/codecs.h"

namespace leat::compression {

Codec recompressed_with(Codec codec) {
    return codec == Codec::none ? Codec::none : Codec::lz4;
}

sdk::Result<std::vector<std::byte>> compress(Codec codec, std::span<const std::byte> input) {
    if (codec == Codec::none) return Output(input.begin(), input.end());
    if (codec == Codec::lz4) return compress_lz4(input);
    return sdk::Error{sdk::Errc::unsupported, "this program compresses with lz4 only"};
}

}  // namespace leat::compression
