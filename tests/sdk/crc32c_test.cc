#include "leat/sdk/crc32c.h"

#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace leat::sdk {
namespace {

std::vector<std::byte> random_bytes(std::size_t size, std::uint32_t seed) {
    std::mt19937 random{seed};
    std::vector<std::byte> bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

std::uint32_t bit_by_bit(std::span<const std::byte> bytes) {
    std::uint32_t crc = ~0u;
    for (const std::byte byte : bytes) {
        crc ^= static_cast<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = crc32c_detail::times_x(crc);
    }
    return ~crc;
}

TEST(Crc32c, GivesTheKnownAnswers) {
    const std::string_view digits = "123456789";
    EXPECT_EQ(crc32c(std::as_bytes(std::span{digits})), 0xE3069283u);
    EXPECT_EQ(crc32c(std::vector<std::byte>(32)), 0x8A9136AAu);  // RFC 3720, B.4.
    EXPECT_EQ(crc32c({}), 0u);
}

TEST(Crc32c, AgreesWithTheDefinitionAtEveryLengthAndAlignment) {
    const auto bytes = random_bytes(1600, 7);
    for (std::size_t size = 0; size < 1000; ++size) {
        const auto part = std::span{bytes}.subspan(size % 13, size);
        const std::uint32_t expected = bit_by_bit(part);
        ASSERT_EQ(crc32c(part), expected) << size;
        ASSERT_EQ(~crc32c_detail::portable(part.data(), part.size(), ~0u), expected) << size;
    }
}

TEST(Crc32c, AgreesWithThePortableFormOnLongInput) {
    for (const std::size_t size : {6143u, 6144u, 6145u, 100'000u, 1'000'001u}) {
        const auto bytes = random_bytes(size, 8);
        EXPECT_EQ(crc32c(bytes), ~crc32c_detail::portable(bytes.data(), size, ~0u)) << size;
    }
}

TEST(Crc32c, ContinuesFromASumSoFar) {
    const auto bytes = random_bytes(20'000, 9);
    const std::span all{bytes};
    for (const std::size_t cut : {0u, 1u, 7u, 8u, 6144u, 19'999u, 20'000u}) {
        EXPECT_EQ(crc32c(all.subspan(cut), crc32c(all.first(cut))), crc32c(all));
    }
}

}  // namespace
}  // namespace leat::sdk
