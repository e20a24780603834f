#include "core/host/sha256.h"

#include <gtest/gtest.h>

#include <vector>

namespace leat::host {
namespace {

std::string digest(std::string_view text) {
    return sha256_hex(std::as_bytes(std::span{text}));
}

// FIPS 180-4 examples, and lengths around the edge of a block.
TEST(Sha256, GivesTheDigestsOfTheStandard) {
    EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digest(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_EQ(digest(std::string(55, 'a')),
              "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    EXPECT_EQ(digest(std::string(64, 'a')),
              "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(Sha256, IsTheSameWithAndWithoutTheProcessorsHelp) {
    std::vector<std::byte> bytes;
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(sha256_hex(bytes), sha256_hex_portably(bytes)) << i << " bytes";
        bytes.push_back(static_cast<std::byte>(i * 7 + 3));
    }
}

}  // namespace
}  // namespace leat::host
