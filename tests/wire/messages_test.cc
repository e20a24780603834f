#include <gtest/gtest.h>

#include <random>

#include "tests/wire/all_messages.h"
#include "tests/wire/arbitrary.h"

namespace leat::wire {
namespace {

class Messages : public testing::TestWithParam<AnyMessage> {
protected:
    // Calls check(message, its encoding, version) with random messages of every version.
    template <class Check>
    void in_every_version(int seeds, Check check) {
        const MessageTraits& traits = *GetParam().traits;
        for (Version v = traits.versions.min; v <= traits.versions.max; ++v) {
            for (int seed = 0; seed < seeds; ++seed) {
                SCOPED_TRACE(testing::Message() << "version " << v << ", seed " << seed);
                Arbitrary arbitrary{static_cast<std::uint64_t>(seed), v};
                const auto message = GetParam().make();
                arbitrary.fill(traits.fields(), message.get());
                Buffer bytes;
                std::size_t size = 0;
                const Status encoded = encode_message(traits, message.get(), v, &bytes, size);
                ASSERT_TRUE(encoded) << encoded.error().what;
                check(message.get(), bytes, v);
                if (HasFatalFailure()) return;
            }
        }
    }
};
std::string name_of_message(const testing::TestParamInfo<AnyMessage>& any) {
    return std::string{any.param.traits->name};
}
INSTANTIATE_TEST_SUITE_P(All, Messages, testing::ValuesIn(all_messages()), name_of_message);
INSTANTIATE_TEST_SUITE_P(Headerless, Messages, testing::ValuesIn(headerless_messages()),
                         name_of_message);

TEST_P(Messages, DecodeToWhatWasEncoded) {
    in_every_version(100, [](const void* message, const Buffer& bytes, Version v) {
        const auto decoded = GetParam().make();
        const Status status = decode_message(*GetParam().traits, bytes, v, decoded.get());
        ASSERT_TRUE(status) << status.error().what;
        EXPECT_TRUE(GetParam().equal(message, decoded.get()));
    });
}

TEST_P(Messages, HaveTheSizeOfTheirEncoding) {
    in_every_version(100, [](const void* message, const Buffer& bytes, Version v) {
        std::size_t size = 0;
        ASSERT_TRUE(encode_message(*GetParam().traits, message, v, nullptr, size));
        EXPECT_EQ(size, bytes.size());
    });
}

TEST_P(Messages, RejectEveryTruncation) {
    in_every_version(50, [](const void*, const Buffer& bytes, Version v) {
        for (std::size_t n = 0; n < bytes.size(); ++n) {
            const auto decoded = GetParam().make();
            ASSERT_FALSE(
                decode_message(*GetParam().traits, std::span{bytes}.first(n), v, decoded.get()))
                << "first " << n << " bytes of " << bytes.size();
        }
    });
}

// What is decoded from a damaged frame is something or nothing, but can be encoded again.
TEST_P(Messages, SurviveDamagedBytes) {
    std::mt19937_64 random{20};
    in_every_version(20, [&](const void*, const Buffer& bytes, Version v) {
        for (int round = 0; round < 40 && !bytes.empty(); ++round) {
            Buffer damaged = bytes;
            for (std::uint64_t n = 1 + random() % 4; n > 0; --n)
                damaged[random() % damaged.size()] = static_cast<std::byte>(random());
            const auto decoded = GetParam().make();
            if (!decode_message(*GetParam().traits, damaged, v, decoded.get())) continue;
            std::size_t size = 0;
            const Status again =
                encode_message(*GetParam().traits, decoded.get(), v, nullptr, size);
            EXPECT_TRUE(again) << again.error().what;
        }
    });
}

TEST_P(Messages, RefuseVersionsThatTheyDoNotHave) {
    const MessageTraits& traits = *GetParam().traits;
    for (const int v : {traits.versions.min - 1, traits.versions.max + 1}) {
        const auto message = GetParam().make();
        std::size_t size = 0;
        const auto version = static_cast<Version>(v);
        EXPECT_FALSE(encode_message(traits, message.get(), version, nullptr, size));
        EXPECT_FALSE(decode_message(traits, {}, version, message.get()));
    }
}

}  // namespace
}  // namespace leat::wire
