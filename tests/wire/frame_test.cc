#include "core/wire/frame.h"

#include <gtest/gtest.h>

#include <string>

#include "core/wire/api_names.h"
#include "core/wire/apis.h"
#include "core/wire/messages/api_versions.h"
#include "core/wire/messages/metadata.h"

namespace leat::wire {
namespace {

Buffer bytes(std::initializer_list<int> values) {
    Buffer made;
    for (const int value : values) made.push_back(static_cast<std::byte>(value));
    return made;
}

TEST(RequestHeader, OfAnInflexibleVersionEndsWithTheClientId) {
    Buffer frame = bytes({0, 3, 0, 8, 0, 0, 0, 7, 0, 2, 'm', 'e', 0xff});
    const auto header = parse_request(frame);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->key, ApiKey::metadata);
    EXPECT_EQ(header->version, 8);
    EXPECT_EQ(header->correlation_id, 7);
    EXPECT_EQ(header->client_id, "me");
    EXPECT_EQ(header->body.size(), 1u);
}

TEST(RequestHeader, OfAFlexibleVersionSkipsTaggedFieldsAfterAClientIdThatIsNotCompact) {
    Buffer frame = bytes({0, 3, 0, 9, 0, 0, 0, 7, 0, 2, 'm', 'e', 1, 99, 2, 5, 5, 0xff});
    const auto header = parse_request(frame);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->client_id, "me");
    EXPECT_EQ(header->body.size(), 1u);
}

TEST(RequestHeader, MayHaveNoClientId) {
    Buffer frame = bytes({0, 3, 0, 9, 0, 0, 0, 7, 0xff, 0xff, 0});
    const auto header = parse_request(frame);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->client_id, std::nullopt);
}

TEST(RequestHeader, RefusesClientIdsThatWouldGarbleALog) {
    Buffer control = bytes({0, 3, 0, 8, 0, 0, 0, 7, 0, 2, 'm', '\n'});
    EXPECT_FALSE(parse_request(control));
    Buffer negative = bytes({0, 3, 0, 8, 0, 0, 0, 7, 0xff, 0xfe});
    EXPECT_FALSE(parse_request(negative));
    Buffer longer = bytes({0, 3, 0, 8, 0, 0, 0, 7, 0x10, 0});
    longer.resize(longer.size() + 0x1000, std::byte{'x'});
    EXPECT_FALSE(parse_request(longer));
}

TEST(RequestHeader, IsRefusedAtEveryTruncation) {
    Buffer frame = bytes({0, 3, 0, 9, 0, 0, 0, 7, 0, 2, 'm', 'e', 1, 99, 2, 5, 5});
    for (std::size_t n = 0; n < frame.size(); ++n)
        EXPECT_FALSE(parse_request(std::span{frame}.first(n))) << n;
}

// KIP-511: a client of the future learns what the broker speaks.
TEST(RequestHeader, OfAnUnknownVersionOfApiVersionsIsReadUpToTheCorrelationId) {
    Buffer frame = bytes({0, 18, 0, 99, 0, 0, 0, 7, 0xde, 0xad});
    const auto header = parse_request(frame);
    ASSERT_TRUE(header);
    EXPECT_FALSE(header->readable);
    EXPECT_EQ(header->correlation_id, 7);
}

TEST(RequestHeader, OfAnUnknownApiOrVersionIsUnsupported) {
    Buffer api = bytes({3, 0xe8, 0, 0, 0, 0, 0, 7, 0xff, 0xff});
    ASSERT_FALSE(parse_request(api));
    EXPECT_EQ(parse_request(api).error().code, sdk::Errc::unsupported);
    Buffer version = bytes({0, 3, 0, 99, 0, 0, 0, 7, 0xff, 0xff});
    EXPECT_EQ(parse_request(version).error().code, sdk::Errc::unsupported);
    Buffer negative = bytes({0, 3, 0xff, 0xff, 0, 0, 0, 7, 0xff, 0xff});
    EXPECT_EQ(parse_request(negative).error().code, sdk::Errc::unsupported);
}

TEST(Response, OfApiVersionsHasHeaderVersionZeroInEveryVersion) {
    for (Version v = 0; v <= 5; ++v) {
        Buffer out;
        begin_response(out, ApiKey::api_versions, v, 7);
        EXPECT_EQ(out.size(), 8u);
    }
    Buffer metadata;
    begin_response(metadata, ApiKey::metadata, 9, 7);
    EXPECT_EQ(metadata.size(), 9u);
}

TEST(Response, ThatCannotBeEncodedLeavesTheBufferAsItWas) {
    MetadataResponse response;
    response.topics.emplace_back();  // Its name is null, which version 5 cannot say.
    Buffer out = bytes({1, 2, 3});
    const Status status = append_response(response, 5, 1, out);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().what.find("Name is null"), std::string::npos) << status.error().what;
    EXPECT_EQ(out, bytes({1, 2, 3}));
}

TEST(Request, IsReadBackFromTheFrameThatItWasWrittenTo) {
    MetadataRequest request;
    request.allow_auto_topic_creation = false;
    for (const Version v : {Version{4}, Version{12}}) {
        Buffer out;
        ASSERT_TRUE(append_request(request, v, 42, "a client", out));
        EXPECT_EQ(static_cast<std::size_t>(out[3]), out.size() - frame_size_bytes);
        const auto header = parse_request(std::span{out}.subspan(frame_size_bytes));
        ASSERT_TRUE(header);
        EXPECT_EQ(header->client_id, "a client");
        const auto decoded = decode<MetadataRequest>(header->body, v);
        ASSERT_TRUE(decoded);
        EXPECT_TRUE(*decoded == request);
    }
}

TEST(Apis, AreNamedTheSameWhetherTheirMessagesAreKnownOrNot) {
    for (const ApiDescription& api : all_apis()) EXPECT_EQ(name_of(api.key), api.name);
    EXPECT_EQ(name_of(ApiKey{94}), "UnregisterController");
    EXPECT_EQ(name_of(ApiKey{95}), "");
    EXPECT_EQ(name_of(ApiKey{-1}), "");
}

TEST(Apis, AreFoundByKey) {
    ASSERT_NE(describe(ApiKey::metadata), nullptr);
    EXPECT_EQ(describe(ApiKey::metadata)->name, "Metadata");
    EXPECT_EQ(describe(static_cast<ApiKey>(1000)), nullptr);
    EXPECT_EQ(describe(static_cast<ApiKey>(-1)), nullptr);
}

}  // namespace
}  // namespace leat::wire
