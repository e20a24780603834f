#include <snappy-c.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "core/compression/codecs.h"

namespace leat::compression {

namespace {

// The framing of xerial's snappy-java, which Kafka's Java client writes: this, a version and the
// oldest compatible version (1 and 1), then blocks, each preceded by its compressed size.
constexpr std::array<unsigned char, 16> xerial_header{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0,
                                                      0,    0,   0,   1,   0,   0,   0,   1};
constexpr std::size_t xerial_magic_bytes = 8;
constexpr std::size_t block_bytes = 32u << 10;
// No element of the format makes more than 64 bytes, or takes fewer than 2 to do so.
constexpr std::size_t most_per_byte = 32;

const char* chars(const std::byte* bytes) { return reinterpret_cast<const char*>(bytes); }

std::uint32_t load32(Input bytes) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return __builtin_bswap32(value);
}

sdk::Status decompress_block(Input block, BoundedOutput& output) {
    std::size_t size = 0;
    if (snappy_uncompressed_length(chars(block.data()), block.size(), &size) != SNAPPY_OK)
        return corrupt("snappy data has no length");
    if (size > output.left()) return too_much("snappy");
    if (size > block.size() * most_per_byte) return corrupt("snappy data promises too much");
    const auto room = output.room(size);
    if (snappy_uncompress(chars(block.data()), block.size(), reinterpret_cast<char*>(room.data()),
                          &size) != SNAPPY_OK)
        return corrupt("snappy data is damaged");
    output.wrote(size);
    return {};
}

}  // namespace

sdk::Result<Output> compress_snappy(Input input) {
    Output output(xerial_header.size());
    std::memcpy(output.data(), xerial_header.data(), xerial_header.size());
    while (!input.empty()) {
        const Input block = input.first(std::min(block_bytes, input.size()));
        input = input.subspan(block.size());
        std::size_t size = snappy_max_compressed_length(block.size());
        const std::size_t start = output.size();
        output.resize(start + sizeof(std::uint32_t) + size);
        char* to = reinterpret_cast<char*>(output.data()) + start;
        if (snappy_compress(chars(block.data()), block.size(), to + sizeof(std::uint32_t),
                            &size) != SNAPPY_OK)
            return sdk::Error{sdk::Errc::internal, "snappy did not finish"};
        const std::uint32_t big_endian = __builtin_bswap32(static_cast<std::uint32_t>(size));
        std::memcpy(to, &big_endian, sizeof big_endian);
        output.resize(start + sizeof(std::uint32_t) + size);
    }
    return output;
}

sdk::Status decompress_snappy(Input input, BoundedOutput& output) {
    if (input.size() < xerial_header.size() ||
        std::memcmp(input.data(), xerial_header.data(), xerial_magic_bytes) != 0)
        return decompress_block(input, output);
    input = input.subspan(xerial_header.size());
    while (!input.empty()) {
        if (input.size() < sizeof(std::uint32_t)) return corrupt("a snappy frame is cut off");
        const std::size_t size = load32(input);
        input = input.subspan(sizeof(std::uint32_t));
        if (size > input.size()) return corrupt("a snappy frame is cut off");
        if (auto done = decompress_block(input.first(size), output); !done) return done;
        input = input.subspan(size);
    }
    return {};
}

}  // namespace leat::compression
