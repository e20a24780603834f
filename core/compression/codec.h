// The four codecs of record batches, and decompression that a hostile batch cannot turn into a
// bomb. The only home of zlib, snappy, lz4 and zstd. Pure functions: any thread; nothing is kept
// between calls.
//
// snappy  Written as Java does, in xerial frames ("\x82SNAPPY\0"); librdkafka's raw form is read.
// lz4     The frame format; written with independent blocks, the only ones that Kafka's Java reader
//         takes; linked ones are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leat/sdk/result.h"

namespace leat::compression {

// The numbers are those in a batch's attributes.
enum class Codec : std::uint8_t { none = 0, gzip = 1, snappy = 2, lz4 = 3, zstd = 4 };

std::optional<Codec> codec_of(int id);
std::string_view name_of(Codec codec);
std::optional<Codec> codec_named(std::string_view name);  // As name_of() has it.

// What decompression may cost. A batch that wants more is Errc::limit.
struct Bounds {
    std::size_t max_output = 64u << 20;
    // Output bytes per input byte, beyond the first `free_output`: zeros compress 1:1000 with gzip,
    // and an honest batch of repeated records comes near that; a bomb has 1:4000 and more (zstd,
    // snappy).
    std::size_t max_ratio = 1032;
    std::size_t free_output = 1u << 20;
    int zstd_window_log = 23;  // 8 MiB: what zstd's levels up to 19 and Kafka's clients use.
};

// What records that were read in `codec` are compressed with again: the same. In a small program it
// is lz4, the only codec in which it writes: compress() in another is Errc::unsupported there.
Codec recompressed_with(Codec codec);
sdk::Result<std::vector<std::byte>> compress(Codec codec, std::span<const std::byte> input);

// All of `input`, or an error: Errc::corrupt if it is not what the codec writes, Errc::limit if it
// would cost more than the bounds. Memory grows with the output that is really there, never with
// what a header promises. Codec::none copies.
sdk::Result<std::vector<std::byte>> decompress(Codec codec, std::span<const std::byte> input,
                                               const Bounds& bounds = {});

}  // namespace leat::compression
