// What the codec does with hostile frames, with values that have no place, and to the byte.

#include "core/wire/codec.h"

#include <gtest/gtest.h>

#include <string>

#include "core/wire/messages/api_versions.h"
#include "core/wire/messages/describe_topic_partitions.h"
#include "core/wire/messages/fetch.h"
#include "core/wire/messages/find_coordinator.h"
#include "core/wire/messages/metadata.h"

namespace leat::wire {
namespace {

Buffer bytes(std::initializer_list<int> values) {
    Buffer made;
    for (const int value : values) made.push_back(static_cast<std::byte>(value));
    return made;
}

template <class T>
Result<T> decode_bytes(std::initializer_list<int> values, Version version) {
    const Buffer frame = bytes(values);
    return decode<T>(frame, version);
}

// ---- Hostile frames

TEST(Decoding, RefusesACountThatExceedsTheFrame) {
    EXPECT_FALSE(decode_bytes<MetadataRequest>({0x7f, 0xff, 0xff, 0xff}, 0));
    EXPECT_FALSE(decode_bytes<MetadataRequest>({0x00, 0x00, 0x00, 0x03, 0, 0}, 0));
    // Compact: 4,294,967,294 elements.
    EXPECT_FALSE(decode_bytes<MetadataRequest>({0xff, 0xff, 0xff, 0xff, 0x0f}, 9));
}

TEST(Decoding, RefusesNegativeLengthsOtherThanNull) {
    EXPECT_FALSE(decode_bytes<MetadataRequest>({0xff, 0xff, 0xff, 0xfe}, 1));
    EXPECT_FALSE(decode_bytes<MetadataRequest>({0, 0, 0, 1, 0x80, 0x00}, 0));
}

TEST(Decoding, RefusesNullWhereTheVersionDoesNotAllowIt) {
    EXPECT_FALSE(decode_bytes<MetadataRequest>({0xff, 0xff, 0xff, 0xff}, 0));
    const auto all = decode_bytes<MetadataRequest>({0xff, 0xff, 0xff, 0xff}, 1);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->topics, std::nullopt);
    EXPECT_FALSE(decode_bytes<FindCoordinatorRequest>({0xff, 0xff}, 0));
}

TEST(Decoding, RefusesVarintsOfMoreThan32Bits) {
    EXPECT_FALSE(decode_bytes<MetadataRequest>({0xff, 0xff, 0xff, 0xff, 0x1f}, 9));
    EXPECT_FALSE(decode_bytes<MetadataRequest>({0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 9));
}

// Two bytes on the wire, a std::string each in memory.
TEST(Decoding, IsBoundByAMemoryBudgetNotOnlyByTheFrame) {
    constexpr std::size_t keys = 1'000'000;
    Buffer frame = bytes({0, 0xc1, 0x84, 0x3d});  // Key type, then a count of 1,000,001 - 1.
    frame.resize(frame.size() + keys, std::byte{1});
    frame.push_back(std::byte{0});
    const auto decoded = decode<FindCoordinatorRequest>(frame, 4);
    ASSERT_FALSE(decoded);
    EXPECT_NE(decoded.error().what.find("memory"), std::string::npos) << decoded.error().what;
    EXPECT_NE(decoded.error().what.find("CoordinatorKeys"), std::string::npos);
}

TEST(Decoding, SkipsTaggedFieldsThatItDoesNotKnow) {
    // An empty name and version, then tags 7 and 300.
    const auto decoded = decode_bytes<ApiVersionsRequest>({1, 1, 2, 7, 1, 0xaa, 0xac, 2, 0}, 3);
    EXPECT_TRUE(decoded);
}

TEST(Decoding, RefusesTaggedFieldsOutOfOrderTwiceOrTooMany) {
    EXPECT_FALSE(decode_bytes<ApiVersionsRequest>({1, 1, 2, 7, 0, 7, 0}, 3));
    EXPECT_FALSE(decode_bytes<ApiVersionsRequest>({1, 1, 2, 7, 0, 6, 0}, 3));
    Buffer many = bytes({1, 1, 0x81, 0x02});  // 257
    for (int tag = 0; tag < 257; ++tag) {
        if (tag >= 128) many.push_back(static_cast<std::byte>((tag & 0x7f) | 0x80));
        many.push_back(static_cast<std::byte>(tag >= 128 ? tag >> 7 : tag));
        many.push_back(std::byte{0});
    }
    EXPECT_FALSE(decode<ApiVersionsRequest>(many, 3));
}

TEST(Decoding, RefusesATaggedFieldThatIsNotAsLongAsItSays) {
    // FinalizedFeaturesEpoch (tag 1) is eight bytes; here it says seven, then nine.
    for (const int size : {7, 9}) {
        Buffer frame = bytes({0, 0, 1, 0, 0, 0, 0, 1, 1, size});
        frame.resize(frame.size() + static_cast<std::size_t>(size));
        EXPECT_FALSE(decode<ApiVersionsResponse>(frame, 3)) << size;
    }
}

TEST(Decoding, ReadsNullableStructs) {
    const auto none = decode_bytes<DescribeTopicPartitionsRequest>({1, 0, 0, 0, 9, 0xff, 0}, 0);
    ASSERT_TRUE(none);
    EXPECT_EQ(none->cursor, std::nullopt);
    const auto some = decode_bytes<DescribeTopicPartitionsRequest>(
        {1, 0, 0, 0, 9, 1, 2, 't', 0, 0, 0, 5, 0, 0}, 0);
    ASSERT_TRUE(some);
    EXPECT_EQ(some->cursor->topic_name, "t");
    EXPECT_EQ(some->cursor->partition_index, 5);
}

// ---- Values without a place

TEST(Encoding, RefusesAValueThatTheVersionCannotCarry) {
    FindCoordinatorRequest request{.key = "k", .key_type = 1};
    Buffer out;
    const Status status = encode(request, 0, out);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().what,
              "FindCoordinatorRequest v0: KeyType has a value that this version cannot carry");
    EXPECT_TRUE(out.empty());
    EXPECT_FALSE(encoded_size(request, 0));
    EXPECT_TRUE(encode(request, 1, out));
}

TEST(Encoding, DropsAnIgnorableValue) {
    ApiVersionsResponse response;
    response.throttle_time_ms = 5;
    response.finalized_features_epoch = 3;
    Buffer out;
    ASSERT_TRUE(encode(response, 0, out));
    EXPECT_EQ(out, bytes({0, 0, 0, 0, 0, 0}));
}

TEST(Encoding, RefusesStringsLongerThanKafkaReads) {
    FindCoordinatorRequest request{.key = std::string(32768, 'x')};
    Buffer out;
    EXPECT_FALSE(encode(request, 0, out));
    EXPECT_FALSE(encode(request, 3, out));
    request.key.pop_back();
    EXPECT_TRUE(encode(request, 0, out));
}

// ---- To the byte: written down by hand from the protocol page

TEST(Encoding, WritesAnInflexibleRequest) {
    MetadataRequest request;
    request.topics.emplace().push_back({.name = "topic"});
    Buffer out;
    ASSERT_TRUE(encode(request, 4, out));
    EXPECT_EQ(out, bytes({0, 0, 0, 1, 0, 5, 't', 'o', 'p', 'i', 'c', 1}));
}

TEST(Encoding, WritesAFlexibleRequest) {
    MetadataRequest request;
    request.topics.emplace().push_back({.name = "topic"});
    Buffer out;
    ASSERT_TRUE(encode(request, 12, out));
    Buffer expected = bytes({2});
    expected.resize(expected.size() + 16);
    const Buffer rest = bytes({6, 't', 'o', 'p', 'i', 'c', 0, 1, 0, 0});
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(out, expected);
}

TEST(Encoding, WritesTaggedFieldsOnlyWhenTheyAreSet) {
    ApiVersionsResponse response;
    response.api_keys.push_back({.api_key = 18, .min_version = 0, .max_version = 4});
    Buffer out;
    ASSERT_TRUE(encode(response, 3, out));
    EXPECT_EQ(out, bytes({0, 0, 2, 0, 18, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0}));

    response.finalized_features_epoch = 2;
    response.finalized_features.push_back(
        {.name = "f", .max_version_level = 2, .min_version_level = 1});
    out.clear();
    ASSERT_TRUE(encode(response, 3, out));
    EXPECT_EQ(out, bytes({0, 0, 2, 0, 18, 0, 0, 0, 4, 0, 0, 0, 0, 0,  // As above, then two tags.
                          2, 1, 8, 0, 0, 0, 0, 0, 0, 0, 2,            // Epoch.
                          2, 8, 2, 2, 'f', 0, 2, 0, 1, 0}));          // Features.
}

TEST(Encoding, WritesAFollowersFetch) {
    FetchRequest request{.replica_state = {.replica_id = 2, .replica_epoch = 9},
                         .max_wait_ms = 500,
                         .min_bytes = 1,
                         .max_bytes = 0x100};
    Buffer out;
    ASSERT_TRUE(encode(request, 15, out));
    EXPECT_EQ(out, bytes({0, 0, 1, 0xf4, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff,
                          0xff, 1, 1, 1,  // No topics, none forgotten, no rack.
                          1, 1, 13, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9, 0}));
}

}  // namespace
}  // namespace leat::wire
