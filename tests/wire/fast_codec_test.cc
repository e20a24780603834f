// The hand-written codecs say what the interpreter says.

#include <gtest/gtest.h>

#include "core/wire/fetch_frame.h"
#include "core/wire/frame.h"
#include "core/wire/messages/fetch.h"
#include "core/wire/messages/produce.h"
#include "tests/wire/arbitrary.h"

namespace leat::wire {
namespace {

template <class T, class Check>
void in_every_version(Check check) {
    for (Version v = T::traits.versions.min; v <= T::traits.versions.max; ++v) {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            SCOPED_TRACE(testing::Message() << "version " << v << ", seed " << seed);
            Arbitrary arbitrary{seed, v};
            T message;
            arbitrary.fill(T::fields(), &message);
            check(message, v);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

template <class T>
Buffer interpreted(const T& message, Version v) {
    Buffer bytes;
    std::size_t size = 0;
    EXPECT_TRUE(encode_message(T::traits, &message, v, &bytes, size));
    return bytes;
}

template <class T>
void expect_same_decoding() {
    in_every_version<T>([](const T& message, Version v) {
        Buffer bytes = interpreted(message, v);
        const auto fast = decode<T>(std::span{bytes}, v);
        ASSERT_TRUE(fast);
        EXPECT_TRUE(*fast == message);
        for (std::size_t n = 0; n < bytes.size(); ++n)
            ASSERT_FALSE(decode<T>(std::span{bytes}.first(n), v)) << "first " << n << " bytes";
        for (std::size_t n = 0; n < bytes.size(); ++n) {
            Buffer damaged = bytes;
            damaged[n] ^= std::byte{0x81};
            T slow;
            const bool ok = bool{decode_message(T::traits, damaged, v, &slow)};
            const auto again = decode<T>(std::span{damaged}, v);
            ASSERT_EQ(bool{again}, ok) << "byte " << n;
            ASSERT_TRUE(!ok || *again == slow) << "byte " << n;
        }
    });
}

TEST(ProduceRequestCodec, DecodesAsTheInterpreterDoes) { expect_same_decoding<ProduceRequest>(); }
TEST(FetchRequestCodec, DecodesAsTheInterpreterDoes) { expect_same_decoding<FetchRequest>(); }

TEST(ProduceRequestCodec, LendsWritableRecordsInsideTheFrame) {
    std::string batch = "records";
    ProduceRequest request;
    auto& partition = request.topic_data.emplace_back().partition_data.emplace_back();
    const auto bytes = std::as_writable_bytes(std::span{batch});
    partition.records.emplace(bytes.data(), bytes.size());
    Buffer frame = interpreted(request, 7);

    auto decoded = decode<ProduceRequest>(std::span{frame}, 7);
    ASSERT_TRUE(decoded);
    const WritableRecords lent = *decoded->topic_data[0].partition_data[0].records;
    EXPECT_EQ(lent.data(), frame.data() + frame.size() - lent.size());
    lent[0] = std::byte{'R'};
    EXPECT_EQ(frame[frame.size() - lent.size()], std::byte{'R'});
}

TEST(ProduceResponseCodec, EncodesAsTheInterpreterDoes) {
    in_every_version<ProduceResponse>([](const ProduceResponse& message, Version v) {
        Buffer fast;
        ASSERT_TRUE(encode(message, v, fast));
        EXPECT_EQ(fast, interpreted(message, v));
        ProduceResponse without_endpoints = message;
        without_endpoints.node_endpoints.clear();
        Buffer again;
        ASSERT_TRUE(encode(without_endpoints, v, again));
        EXPECT_EQ(again, interpreted(without_endpoints, v));
    });
}

// The frame as a client receives it, with every gap filled.
Buffer filled(const FetchFrame& frame, const FetchResponse& response) {
    Buffer whole;
    std::size_t from = 0;
    for (const RecordsGap& gap : frame.gaps) {
        const auto begin = frame.bytes.begin();
        whole.insert(whole.end(), begin + static_cast<std::ptrdiff_t>(from),
                     begin + static_cast<std::ptrdiff_t>(gap.position));
        const auto& records = *response.responses[gap.topic].partitions[gap.partition].records;
        EXPECT_EQ(records.size(), gap.bytes);
        whole.insert(whole.end(), records.begin(), records.end());
        from = gap.position;
    }
    whole.insert(whole.end(), frame.bytes.begin() + static_cast<std::ptrdiff_t>(from),
                 frame.bytes.end());
    return whole;
}

TEST(FetchResponseFrame, WithItsGapsFilledIsTheEncodedResponse) {
    in_every_version<FetchResponse>([](FetchResponse message, Version v) {
        for (auto& topic : message.responses)
            for (auto& partition : topic.partitions)
                if (!partition.records) partition.records.emplace();
        Buffer expected;
        ASSERT_TRUE(append_response(message, v, 77, expected));

        const auto all_inline = layout_fetch_response(message, v, 77);
        ASSERT_TRUE(all_inline);
        EXPECT_EQ(all_inline->bytes, expected);
        EXPECT_TRUE(all_inline->gaps.empty());

        for (auto& topic : message.responses)
            for (auto& partition : topic.partitions)
                partition.external_bytes = partition.records->size();
        const auto gapped = layout_fetch_response(message, v, 77);
        ASSERT_TRUE(gapped);
        EXPECT_EQ(filled(*gapped, message), expected);
    });
}

TEST(FetchResponseFrame, NeverSendsNullRecords) {
    FetchResponse response;
    response.responses.emplace_back().partitions.emplace_back();
    for (Version v = 4; v <= 18; ++v) {
        const auto frame = layout_fetch_response(response, v, 1);
        ASSERT_TRUE(frame);
        const auto header = parse_response(std::span{frame->bytes}.subspan(4), ApiKey::fetch, v);
        ASSERT_TRUE(header);
        const auto decoded = decode<FetchResponse>(header->body, v);
        ASSERT_TRUE(decoded);
        const auto& records = decoded->responses[0].partitions[0].records;
        EXPECT_TRUE(records.has_value() && records->empty()) << "version " << v;
    }
}

TEST(FetchResponseFrame, RefusesMoreThanTheSizeCanSay) {
    FetchResponse response;
    auto& topic = response.responses.emplace_back();
    for (int i = 0; i < 3; ++i) topic.partitions.emplace_back().external_bytes = INT32_MAX / 2;
    const auto frame = layout_fetch_response(response, 12, 1);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().code, sdk::Errc::limit);
}

}  // namespace
}  // namespace leat::wire
