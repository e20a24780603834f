#include <gtest/gtest.h>

#include "core/compression/codec.h"

namespace leat::compression {
namespace {

constexpr Codec all[] = {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd};

TEST(SmallCompress, WhatWasReadInAnyCodecIsWrittenInOneThatItHas) {
    const std::vector<std::byte> records(10'000, std::byte{7});
    for (const Codec codec : all) {
        const Codec again = recompressed_with(codec);
        const auto written = compress(again, records);
        ASSERT_TRUE(written) << name_of(codec);
        const auto read = decompress(again, *written);
        ASSERT_TRUE(read) << name_of(codec);
        EXPECT_EQ(*read, records) << name_of(codec);
    }
}

TEST(SmallCompress, WhatWasCompressedStaysCompressed) {
    for (const Codec codec : all) {
        EXPECT_EQ(recompressed_with(codec) == Codec::none, codec == Codec::none) << name_of(codec);
    }
}

TEST(SmallCompress, SaysThatItWritesLz4Only) {
    for (const Codec codec : {Codec::gzip, Codec::snappy, Codec::zstd}) {
        const auto written = compress(codec, {});
        ASSERT_FALSE(written) << name_of(codec);
        EXPECT_EQ(written.error().code, sdk::Errc::unsupported) << name_of(codec);
    }
}

}  // namespace
}  // namespace leat::compression
