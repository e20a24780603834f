// Input: codec, power of two of the largest output (1 KiB to 1 MiB), then compressed bytes.
#include "core/compression/codec.h"
#include "leat/sdk/ensure.h"
#include "tests/fuzz/allocations.h"
#include "tests/fuzz/input.h"

namespace leat::fuzz {
namespace {

using sdk::ensure;

// What a library keeps while it works, whatever comes out: zstd's window of 8 MiB, its tables and
// a block; the others' blocks are smaller.
constexpr std::size_t state_bytes = 9u << 20;
constexpr std::size_t most_compressed_again = 64u << 10;

}  // namespace

void decompress(Input input) {
    Pieces pieces{input};
    const auto codec = static_cast<compression::Codec>(pieces.byte() % 5);
    compression::Bounds bounds;
    bounds.max_output = std::size_t{1} << (10 + pieces.byte() % 11);
    bounds.free_output = 64u << 10;
    const Bytes compressed = pieces.rest();
    std::size_t used = 0;
    const auto output = [&] {
        const Allocations allocations;
        auto made = compression::decompress(codec, compressed, bounds);
        used = allocations.peak();
        return made;
    }();
    // While the output doubles, the smaller block is there too.
    ensure(used <= 2 * (bounds.max_output + compressed.size()) + state_bytes,
           "decompression stays within its memory");
    if (!output) return;
    ensure(output->size() <= std::max(bounds.max_output, compressed.size()) &&
               (codec == compression::Codec::none || output->size() <= bounds.max_output),
           "decompression stays within its bounds");
    if (output->size() > most_compressed_again) return;
    const auto again = compression::compress(codec, *output);
    ensure(again.has_value(), "what was decompressed can be compressed");
    const auto back = compression::decompress(codec, *again);
    ensure(back && *back == *output, "bytes survive compression");
}

}  // namespace leat::fuzz
