#include "core/host/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace leat::host {

namespace {

constexpr std::size_t block_bytes = 64;

// First 32 bits of the fractional parts of the cube roots of the first 64 primes, section 4.2.2.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

std::uint32_t big_endian(const std::byte* at) {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | std::to_integer<std::uint32_t>(at[i]);
    return word;
}

void add_block_portably(State& state, const std::byte* block) {
    using std::rotr;
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(block + 4 * i);
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const std::uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
        const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
        const std::uint32_t s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
        const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const State sum{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += sum[i];
}

#if defined(__x86_64__)

// Leaf 7, EBX bit 29: GCC 12 has no name for it in __builtin_cpu_supports.
bool has_sha_extensions() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0 &&
           __builtin_cpu_supports("sse4.1");
}

// Intel's SHA extensions hold the state as (a b e f) and (c d g h), highest word first, and take
// two rounds at a time. Hashing the plugins was most of what a start took without them.
__attribute__((target("sha,sse4.1"))) void add_block_fast(State& state, const std::byte* block) {
    const __m128i to_big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const auto [a, b, c, d, e, f, g, h] = state;
    const auto word = [](std::uint32_t value) { return static_cast<int>(value); };
    const __m128i abef_before = _mm_set_epi32(word(a), word(b), word(e), word(f));
    const __m128i cdgh_before = _mm_set_epi32(word(c), word(d), word(g), word(h));
    __m128i abef = abef_before;
    __m128i cdgh = cdgh_before;
    __m128i w[4];  // The last sixteen words of the schedule.
    for (std::size_t i = 0; i < 16; ++i) {
        __m128i& now = w[i % 4];
        if (i < 4) {
            const auto* at = reinterpret_cast<const __m128i*>(block + 16 * i);
            now = _mm_shuffle_epi8(_mm_loadu_si128(at), to_big_endian);
        } else {
            const __m128i& before = w[(i + 3) % 4];
            const __m128i seven_back = _mm_alignr_epi8(before, w[(i + 2) % 4], 4);
            now = _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]), seven_back);
            now = _mm_sha256msg2_epu32(now, before);
        }
        const auto* constants = reinterpret_cast<const __m128i*>(&round_constants[4 * i]);
        const __m128i sum = _mm_add_epi32(now, _mm_loadu_si128(constants));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    alignas(16) std::array<std::uint32_t, 4> high;
    alignas(16) std::array<std::uint32_t, 4> low;
    _mm_store_si128(reinterpret_cast<__m128i*>(high.data()), _mm_add_epi32(abef, abef_before));
    _mm_store_si128(reinterpret_cast<__m128i*>(low.data()), _mm_add_epi32(cdgh, cdgh_before));
    state = {high[3], high[2], low[3], low[2], high[1], high[0], low[1], low[0]};
}

#endif

using AddBlock = void (*)(State&, const std::byte*);

AddBlock fastest() {
#if defined(__x86_64__)
    if (has_sha_extensions()) return add_block_fast;
#endif
    return add_block_portably;
}

std::string hex_with(AddBlock add_block, std::span<const std::byte> bytes) {
    State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::size_t at = 0;
    for (; at + block_bytes <= bytes.size(); at += block_bytes) add_block(state, bytes.data() + at);

    std::array<std::byte, 2 * block_bytes> tail{};
    const std::size_t rest = bytes.size() - at;
    if (rest > 0) std::memcpy(tail.data(), bytes.data() + at, rest);
    tail[rest] = std::byte{0x80};
    const std::size_t tail_bytes = rest + 9 > block_bytes ? 2 * block_bytes : block_bytes;
    std::uint64_t bits = 8 * static_cast<std::uint64_t>(bytes.size());
    for (std::size_t i = 1; i <= 8; ++i, bits >>= 8)
        tail[tail_bytes - i] = static_cast<std::byte>(bits & 0xff);
    for (std::size_t i = 0; i < tail_bytes; i += block_bytes) add_block(state, tail.data() + i);

    constexpr char digits[] = "0123456789abcdef";
    std::string hex;
    for (const std::uint32_t word : state)
        for (int shift = 28; shift >= 0; shift -= 4) hex += digits[word >> shift & 15];
    return hex;
}

}  // namespace

std::string sha256_hex(std::span<const std::byte> bytes) {
    return hex_with(fastest(), bytes);
}

std::string sha256_hex_portably(std::span<const std::byte> bytes) {
    return hex_with(add_block_portably, bytes);
}

}  // namespace leat::host
