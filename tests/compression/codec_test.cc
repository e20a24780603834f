// The four codecs: what goes in comes out, foreign forms are read, and bombs stay small.
#include "core/compression/codec.h"

#include <gtest/gtest.h>
#include <lz4frame.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace leat::compression {
namespace {

using Bytes = std::vector<std::byte>;

constexpr Codec all_codecs[] = {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd};
constexpr Codec real_codecs[] = {Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd};

Bytes some_text(std::size_t size, std::uint32_t seed) {
    std::mt19937 random{seed};
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::byte>('a' + random() % 7);
    return bytes;
}

TEST(Codec, GivesBackWhatItWasGiven) {
    for (const Codec codec : all_codecs) {
        for (const std::size_t size : {0u, 1u, 100u, 32768u, 32769u, 1'000'000u}) {
            const Bytes plain = some_text(size, 1);
            const auto compressed = compress(codec, plain);
            ASSERT_TRUE(compressed) << name_of(codec);
            const auto back = decompress(codec, *compressed);
            ASSERT_TRUE(back) << name_of(codec) << " " << size << ": " << back.error().what;
            EXPECT_EQ(*back, plain) << name_of(codec) << " " << size;
        }
    }
}

TEST(Codec, ReadsSnappyWithoutFrames) {
    const Bytes plain = some_text(10'000, 2);
    Bytes raw(snappy_max_compressed_length(plain.size()));
    std::size_t size = raw.size();
    ASSERT_EQ(snappy_compress(reinterpret_cast<const char*>(plain.data()), plain.size(),
                              reinterpret_cast<char*>(raw.data()), &size),
              SNAPPY_OK);
    raw.resize(size);
    EXPECT_EQ(*decompress(Codec::snappy, raw), plain);
}

TEST(Codec, ReadsLz4BlocksThatReferToEarlierOnes) {
    const Bytes plain = some_text(300'000, 3);
    LZ4F_preferences_t linked{};
    linked.frameInfo.blockMode = LZ4F_blockLinked;
    linked.frameInfo.blockSizeID = LZ4F_max64KB;
    Bytes frame(LZ4F_compressFrameBound(plain.size(), &linked));
    const std::size_t size =
        LZ4F_compressFrame(frame.data(), frame.size(), plain.data(), plain.size(), &linked);
    frame.resize(size);
    EXPECT_EQ(*decompress(Codec::lz4, frame), plain);
}

TEST(Codec, WritesLz4BlocksThatStandAlone) {
    const auto frame = compress(Codec::lz4, some_text(300'000, 3));
    EXPECT_NE(std::to_integer<int>((*frame)[4]) & 0x20, 0);
}

TEST(Codec, RefusesABombOfEachCodec) {
    constexpr std::size_t blast = 256u << 20;
    const Bytes zeros(blast);
    for (const Codec codec : real_codecs) {
        const auto bomb = compress(codec, zeros);
        ASSERT_TRUE(bomb);
        const auto refused = decompress(codec, *bomb);
        ASSERT_FALSE(refused) << name_of(codec);
        EXPECT_EQ(refused.error().code, sdk::Errc::limit) << name_of(codec);
    }
}

// Of this process, in bytes: what it holds, and the most that it held since the last reset.
std::size_t status_of(const std::string& name) {
    std::ifstream file{"/proc/self/status"};
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) << 10;
    }
    return 0;
}
std::size_t most_beyond_now(const std::function<void()>& work) {
    std::ofstream{"/proc/self/clear_refs"} << "5";  // Resets the most.
    const std::size_t before = status_of("VmRSS");
    work();
    return std::max(status_of("VmHWM"), before) - before;
}

TEST(Codec, HoldsNoMoreForABombThanItsBoundsAllow) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers keep freed memory";
#endif
    constexpr std::size_t mib = 1u << 20;
    const Bounds small{.max_output = 16 * mib};
    // The output while it grows, half as much before; a window of zstd and what else codecs keep.
    const std::size_t most =
        small.max_output * 3 / 2 + (std::size_t{1} << small.zstd_window_log) + 4 * mib;
    for (const Codec codec : real_codecs) {
        const auto bomb = compress(codec, Bytes(200 * mib));
        ASSERT_TRUE(bomb);
        const auto refuse = [&] { EXPECT_FALSE(decompress(codec, *bomb, small)); };
        EXPECT_LE(most_beyond_now(refuse), most) << name_of(codec);
        // That more would have been seen.
        const Bounds none{.max_output = 1024 * mib, .max_ratio = 1'000'000};
        const auto open = [&] { EXPECT_TRUE(decompress(codec, *bomb, none)); };
        EXPECT_GE(most_beyond_now(open), 200 * mib) << name_of(codec);
    }
}

TEST(Codec, RefusesASmallBombByItsRatio) {
    const Bytes zeros(16u << 20);
    const auto bomb = compress(Codec::zstd, zeros);  // Below the cap, 1 to several thousand.
    const auto refused = decompress(Codec::zstd, *bomb);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, sdk::Errc::limit);
}

TEST(Codec, BelievesNoPromiseOfSnappy) {
    const Bytes lie{std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                    std::byte{0x07}, std::byte{0x00}, std::byte{0x41}};
    EXPECT_FALSE(decompress(Codec::snappy, lie));
    const Bytes giant{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                      std::byte{0x0f}, std::byte{0x00}, std::byte{0x41}};
    EXPECT_FALSE(decompress(Codec::snappy, giant));
}

TEST(Codec, RefusesAZstdWindowBeyondItsBounds) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    const Bytes plain = some_text(1000, 4);
    Bytes frame(ZSTD_compressBound(plain.size()));
    ZSTD_inBuffer in{plain.data(), plain.size(), 0};
    ZSTD_outBuffer out{frame.data(), frame.size(), 0};
    ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);  // The size is not known yet.
    ASSERT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0u);
    ZSTD_freeCCtx(context);
    frame.resize(out.pos);
    const auto refused = decompress(Codec::zstd, frame);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, sdk::Errc::limit);
    EXPECT_TRUE(decompress(Codec::zstd, frame, {.zstd_window_log = 27}));
}

// A frame of format 0.7 says its window too, up to 128 MiB, and the library minds no bound on it.
TEST(Codec, RefusesZstdOfBeforeKafkaHadIt) {
    const std::string_view letter_a{
        "\x27\xb5\x2f\xfd\x00\x88\x40\x00\x01"
        "a\xc0\x00\x00",
        13};
    const auto old = std::as_bytes(std::span{letter_a});
    const auto refused = decompress(Codec::zstd, old);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, sdk::Errc::corrupt);
    auto second = *compress(Codec::zstd, some_text(10, 6));
    second.insert(second.end(), old.begin(), old.end());
    EXPECT_FALSE(decompress(Codec::zstd, second));
}

TEST(Codec, ReadsZstdFramesThatFollowOneAnother) {
    const Bytes first = some_text(1000, 7), second = some_text(10, 8);
    Bytes frames = *compress(Codec::zstd, first);
    const std::string_view skipped{"\x5f\x2a\x4d\x18\x02\x00\x00\x00??", 10};
    for (const char each : skipped) frames.push_back(static_cast<std::byte>(each));
    const Bytes more = *compress(Codec::zstd, second);
    frames.insert(frames.end(), more.begin(), more.end());
    Bytes both = first;
    both.insert(both.end(), second.begin(), second.end());
    const auto read = decompress(Codec::zstd, frames);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, both);
}

TEST(Codec, SurvivesDamageAnywhere) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const Bytes plain = some_text(2000, 5);
    for (const Codec codec : real_codecs) {
        const auto good = compress(codec, plain);
        for (std::size_t cut = 0; cut < good->size(); ++cut) {
            const Bytes half(good->begin(), good->begin() + static_cast<std::ptrdiff_t>(cut));
            const auto read = decompress(codec, half);
            EXPECT_FALSE(read && *read == plain) << name_of(codec) << " cut at " << cut;
        }
        for (int round = 0; round < 2000; ++round) {
            Bytes bad = *good;
            for (auto n = random() % 3 + 1; n > 0; --n)
                bad[random() % bad.size()] = static_cast<std::byte>(random());
            const auto read = decompress(codec, bad, {.max_output = 1u << 20});
            EXPECT_TRUE(!read || read->size() <= 1u << 20);
        }
    }
}

}  // namespace
}  // namespace leat::compression
