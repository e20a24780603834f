// Decoding a hostile frame allocates no more than its budget: every allocation of this binary is
// counted. The frames are those that made other brokers swell: counts that nothing backs, and many
// elements that are tiny on the wire and large in memory.

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>

#include "core/wire/messages/fetch.h"
#include "core/wire/messages/produce.h"
#include "tests/wire/all_messages.h"

namespace {
thread_local std::size_t allocated = 0;
}

// Not inlined: seen from inside a caller, malloc and delete look like a mismatch to the compiler.
[[gnu::noinline]] void* operator new(std::size_t size) {
    allocated += size;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace leat::wire {
namespace {

// A std::string allocates a little more than its characters; an error is a sentence.
std::size_t allowance(std::size_t frame_size) {
    return 2 * decode_budget(frame_size) + 4096;
}

template <class Decode>
void expect_bounded(const Buffer& frame, Decode decode) {
    allocated = 0;
    decode();
    EXPECT_LE(allocated, allowance(frame.size())) << frame.size() << " bytes";
}

class HostileFrames : public testing::TestWithParam<AnyMessage> {
protected:
    void decode_all(const Buffer& frame) {
        const MessageTraits& traits = *GetParam().traits;
        for (Version v = traits.versions.min; v <= traits.versions.max; ++v) {
            SCOPED_TRACE(testing::Message() << "version " << v);
            const auto message = GetParam().make();
            expect_bounded(frame, [&] { (void)decode_message(traits, frame, v, message.get()); });
            Buffer writable = frame;
            const std::span bytes{writable};
            if (traits.name == "ProduceRequest")
                expect_bounded(frame, [&] { (void)decode<ProduceRequest>(bytes, v); });
            if (traits.name == "FetchRequest")
                expect_bounded(frame, [&] { (void)decode<FetchRequest>(frame, v); });
        }
    }
};
std::string name_of_message(const testing::TestParamInfo<AnyMessage>& any) {
    return std::string{any.param.traits->name};
}
INSTANTIATE_TEST_SUITE_P(All, HostileFrames, testing::ValuesIn(all_messages()), name_of_message);
INSTANTIATE_TEST_SUITE_P(Headerless, HostileFrames, testing::ValuesIn(headerless_messages()),
                         name_of_message);

TEST_P(HostileFrames, OfOneByteRepeatedStayWithinTheBudget) {
    for (const std::size_t size : {std::size_t{64}, std::size_t{16384}, std::size_t{1} << 20})
        for (const int byte : {0, 1, 2, 3, 16, 127, 128, 255})
            decode_all(Buffer(size, static_cast<std::byte>(byte)));
}

TEST_P(HostileFrames, OfSmallRandomBytesStayWithinTheBudget) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random{seed};
        // Small values are plausible counts and lengths, so that decoding gets far.
        Buffer frame(1 + random() % 3000);
        const std::uint64_t limit = 1 + random() % 8;
        for (auto& byte : frame) byte = static_cast<std::byte>(random() % limit);
        decode_all(frame);
    }
}

}  // namespace
}  // namespace leat::wire
