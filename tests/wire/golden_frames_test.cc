// Frames that a client sent (kcat 1.7 on librdkafka 2.0.2, producing and consuming one record), as
// they were on the wire: they are read to what the client meant, and written back to the same
// bytes.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/wire/frame.h"
#include "core/wire/messages/api_versions.h"
#include "core/wire/messages/fetch.h"
#include "core/wire/messages/list_offsets.h"
#include "core/wire/messages/metadata.h"
#include "core/wire/messages/produce.h"
#include "tests/wire/hex.h"

namespace leat::wire {
namespace {

// The frame decoded, after it was seen to be what encoding that gives.
template <Message T>
T read_back(Buffer& frame, std::int32_t correlation_id) {
    const auto header = parse_request(frame);
    EXPECT_TRUE(header);
    EXPECT_EQ(header->client_id, "rdkafka");
    EXPECT_EQ(header->correlation_id, correlation_id);
    auto decoded = decode<T>(header->body, header->version);
    EXPECT_TRUE(decoded) << decoded.error().what;
    Buffer again;
    EXPECT_TRUE(append_request(*decoded, header->version, correlation_id, "rdkafka", again));
    again.erase(again.begin(), again.begin() + frame_size_bytes);
    EXPECT_EQ(again, frame);
    return *decoded;
}

TEST(GoldenFrame, ApiVersionsVersion3) {
    Buffer frame = from_hex(
        "0012000300000001000772646b61666b61000b6c696272646b61666b6106322e302e3200");
    const auto request = read_back<ApiVersionsRequest>(frame, 1);
    EXPECT_EQ(request.client_software_name, "librdkafka");
    EXPECT_EQ(request.client_software_version, "2.0.2");
}

TEST(GoldenFrame, MetadataVersion4) {
    Buffer frame = from_hex("0003000400000002000772646b61666b61000000010005746f70696301");
    const auto request = read_back<MetadataRequest>(frame, 2);
    ASSERT_TRUE(request.topics);
    EXPECT_EQ(request.topics->at(0).name, "topic");
    EXPECT_TRUE(request.allow_auto_topic_creation);
}

TEST(GoldenFrame, ListOffsetsVersion2) {
    Buffer frame = from_hex(
        "0002000200000004000772646b61666b61ffffffff01000000010005746f7069630000000100000000"
        "fffffffffffffffe");
    const auto request = read_back<ListOffsetsRequest>(frame, 4);
    EXPECT_EQ(request.replica_id, -1);
    EXPECT_EQ(request.isolation_level, 1);
    EXPECT_EQ(request.topics.at(0).name, "topic");
    EXPECT_EQ(request.topics.at(0).partitions.at(0).timestamp, -2);
}

TEST(GoldenFrame, FetchVersion11) {
    Buffer frame = from_hex(
        "0001000b00000005000772646b61666b61ffffffff000001f400000001032000000100000000ffffffff"
        "000000010005746f7069630000000100000000ffffffff0000000000000000ffffffffffffffff00100000"
        "000000000000");
    const auto request = read_back<FetchRequest>(frame, 5);
    EXPECT_EQ(request.max_wait_ms, 500);
    EXPECT_EQ(request.max_bytes, 50 << 20);
    EXPECT_EQ(request.session_epoch, -1);
    EXPECT_EQ(request.topics.at(0).topic, "topic");
    EXPECT_EQ(request.topics.at(0).partitions.at(0).partition_max_bytes, 1 << 20);
}

TEST(GoldenFrame, ProduceVersion7) {
    Buffer frame = from_hex(
        "0000000700000003000772646b61666b61ffffffff00007530000000010005746f706963000000010000"
        "00000000004c0000000000000000000000400000000002f6f84c40000000000000000001a2359a7746000001"
        "a2359a7746ffffffffffffffffffffffffffff000000011c000000066b65790a68656c6c6f00");
    const auto request = read_back<ProduceRequest>(frame, 3);
    EXPECT_EQ(request.transactional_id, std::nullopt);
    EXPECT_EQ(request.acks, -1);
    EXPECT_EQ(request.timeout_ms, 30000);
    EXPECT_EQ(request.topic_data.at(0).name, "topic");
    const auto& records = request.topic_data.at(0).partition_data.at(0).records;
    ASSERT_TRUE(records);
    EXPECT_EQ(records->size(), 76u);
    EXPECT_EQ((*records)[16], std::byte{2});  // The magic of a batch.
}

}  // namespace
}  // namespace leat::wire
