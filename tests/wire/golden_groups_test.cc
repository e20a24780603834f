// Bytes that Kafka 4.4's own classes wrote: records of `__consumer_offsets` as its group
// coordinator serializes them, and messages of groups. They are read to what they were made of,
// and written back to the same bytes.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/wire/group_records/group_record.h"
#include "core/wire/messages/consumer_group_heartbeat.h"
#include "core/wire/messages/join_group.h"
#include "core/wire/messages/leave_group.h"
#include "core/wire/messages/offset_fetch.h"
#include "tests/wire/hex.h"

namespace leat::wire {
namespace {

constexpr sdk::Uuid topic{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

void expect_kept_as(const GroupRecord& record, std::string_view key, std::string_view value) {
    const GroupRecordBytes bytes{from_hex(key), from_hex(value)};
    const auto decoded = decode_group_record(bytes.key, bytes.value);
    ASSERT_TRUE(decoded) << decoded.error().what;
    EXPECT_TRUE(*decoded == record);
    const auto encoded = encode_group_record(record);
    ASSERT_TRUE(encoded) << encoded.error().what;
    EXPECT_TRUE(*encoded == bytes);
}

// ---- Offsets

constexpr std::string_view offset_key = "000100066f726465727300017400000003";
const OffsetCommitKey offset_of{.group = "orders", .topic = "t", .partition = 3};
const OffsetCommitValue committed{.offset = 42,
                                  .leader_epoch = 7,
                                  .metadata = "note",
                                  .commit_timestamp = 1000,
                                  .topic_id = topic};

TEST(KafkasGroupRecords, HoldACommittedOffset) {
    expect_kept_as(OffsetCommitRecord{offset_of, committed}, offset_key,
                   "0004000000000000002a00000007056e6f746500000000000003e8"
                   "0100100102030405060708090a0b0c0d0e0f10");
}

TEST(KafkasGroupRecords, HoldAnOffsetWithoutATopicId) {
    auto value = committed;
    value.topic_id = {};
    expect_kept_as(OffsetCommitRecord{offset_of, value}, offset_key,
                   "0004000000000000002a00000007056e6f746500000000000003e800");
}

TEST(KafkasGroupRecords, HoldAnOffsetThatExpires) {
    auto value = committed;
    value.topic_id = {};
    value.leader_epoch = -1;
    value.expire_timestamp = 2000;
    expect_kept_as(OffsetCommitRecord{offset_of, value}, offset_key,
                   "0001000000000000002a00046e6f746500000000000003e800000000000007d0");
}

TEST(KafkasGroupRecords, OfOlderVersionsAreReadAndWritten) {
    const GroupRecordBytes bytes{
        from_hex(offset_key), from_hex("0003000000000000002a0000000700046e6f746500000000000003e8")};
    auto value = committed;
    value.topic_id = {};
    const GroupRecord record = OffsetCommitRecord{offset_of, value};
    const auto decoded = decode_group_record(bytes.key, bytes.value);
    ASSERT_TRUE(decoded) << decoded.error().what;
    EXPECT_TRUE(*decoded == record);
    EXPECT_TRUE(*encode_group_record(OffsetCommitRecord{offset_of, committed}, 3) == bytes)
        << "a topic id may be left out";
}

TEST(KafkasGroupRecords, OfTheOldestTypeAreOffsetsToo) {
    const auto decoded =
        decode_group_record(from_hex("000000066f726465727300017400000003"),
                            from_hex("0000000000000000002a00046e6f746500000000000003e8"));
    ASSERT_TRUE(decoded) << decoded.error().what;
    const OffsetCommitValue value{.offset = 42, .metadata = "note", .commit_timestamp = 1000};
    EXPECT_TRUE(*decoded == GroupRecord{(OffsetCommitRecord{offset_of, value})});
}

// ---- Groups of the classic protocol

TEST(KafkasGroupRecords, HoldAGroupOfTheClassicProtocol) {
    GroupMetadataValue value{.protocol_type = "consumer",
                             .generation = 5,
                             .protocol = "range",
                             .leader = "m-1",
                             .current_state_timestamp = 1000};
    value.members.push_back({.member_id = "m-1",
                             .group_instance_id = "i",
                             .client_id = "c",
                             .client_host = "/127.0.0.1",
                             .rebalance_timeout = 300000,
                             .session_timeout = 45000,
                             .subscription = from_hex("0001"),
                             .assignment = from_hex("02")});
    expect_kept_as(GroupMetadataRecord{{"orders"}, value}, "000200066f7264657273",
                   "00030008636f6e73756d657200000005000572616e676500036d2d3100000000000003e8000000"
                   "0100036d2d31000169000163000a2f3132372e302e302e31000493e00000afc800000002000100"
                   "00000102");
}

TEST(KafkasGroupRecords, HoldAGroupWithoutMembers) {
    expect_kept_as(GroupMetadataRecord{{"orders"}, GroupMetadataValue{}}, "000200066f7264657273",
                   "0003000000000000ffffffffffffffffffffffff00000000");
}

// ---- Groups of KIP-848

TEST(KafkasGroupRecords, HoldTheEpochOfAConsumerGroup) {
    expect_kept_as(
        ConsumerGroupMetadataRecord{
            {"orders"},
            ConsumerGroupMetadataValue{.epoch = 9, .metadata_hash = 0x1122334455667788}},
        "000300066f7264657273", "0000000000090100081122334455667788");
}

TEST(KafkasGroupRecords, HoldTheTopicsOfAConsumerGroup) {
    ConsumerGroupPartitionMetadataValue value;
    value.topics.push_back({.topic_id = topic, .topic_name = "t", .num_partitions = 4});
    value.topics[0].partition_metadata.push_back({.partition = 1, .racks = {"r"}});
    expect_kept_as(ConsumerGroupPartitionMetadataRecord{{"orders"}, value}, "000400066f7264657273",
                   "0000020102030405060708090a0b0c0d0e0f100274000000040200000001020272000000");
}

TEST(KafkasGroupRecords, HoldAMemberThatSpeaksTheClassicProtocol) {
    ConsumerGroupMemberMetadataValue value{.instance_id = "i",
                                           .client_id = "c",
                                           .client_host = "/127.0.0.1",
                                           .subscribed_topic_names = {"t"},
                                           .rebalance_timeout_ms = 300000,
                                           .server_assignor = "uniform"};
    value.classic_member_metadata.emplace().session_timeout_ms = 45000;
    value.classic_member_metadata->supported_protocols.push_back({"range", from_hex("0001")});
    expect_kept_as(ConsumerGroupMemberMetadataRecord{{"orders", "m-1"}, value},
                   "000500066f726465727300036d2d31",
                   "000002690002630b2f3132372e302e302e3102027400000493e008756e69666f726d0100110100"
                   "00afc8020672616e67650300010000");
}

TEST(KafkasGroupRecords, HoldATargetAssignment) {
    expect_kept_as(
        ConsumerGroupTargetAssignmentMetadataRecord{
            {"orders"},
            ConsumerGroupTargetAssignmentMetadataValue{.assignment_epoch = 9,
                                                       .assignment_timestamp = 1000}},
        "000600066f7264657273", "00000000000901000800000000000003e8");
    ConsumerGroupTargetAssignmentMemberValue value;
    value.topic_partitions.push_back({topic, {1, 2}});
    expect_kept_as(ConsumerGroupTargetAssignmentMemberRecord{{"orders", "m-1"}, value},
                   "000700066f726465727300036d2d31",
                   "0000020102030405060708090a0b0c0d0e0f100300000001000000020000");
}

TEST(KafkasGroupRecords, HoldWhatAMemberHas) {
    ConsumerGroupCurrentMemberAssignmentValue value{
        .member_epoch = 9, .previous_member_epoch = 8, .state = 1};
    value.assigned_partitions.push_back({topic, {1, 2}, std::vector{8, 9}});
    value.partitions_pending_revocation.push_back({topic, {3}, std::nullopt});
    expect_kept_as(ConsumerGroupCurrentMemberAssignmentRecord{{"orders", "m-1"}, value},
                   "000800066f726465727300036d2d31",
                   "0000000000090000000801020102030405060708090a0b0c0d0e0f100300000001000000020100"
                   "09030000000800000009020102030405060708090a0b0c0d0e0f1002000000030000");
}

TEST(KafkasGroupRecords, HoldWhatARegularExpressionStandsFor) {
    expect_kept_as(
        ConsumerGroupRegularExpressionRecord{
            {"orders", "o.*"},
            ConsumerGroupRegularExpressionValue{
                .topics = {"orders"}, .version = 12, .timestamp = 1000}},
        "001000066f726465727300036f2e2a", "000002076f7264657273000000000000000c00000000000003e800");
}

// ---- Messages

template <Message T>
void expect_sent_as(const T& message, Version version, std::string_view hex) {
    const Buffer bytes = from_hex(hex);
    const auto decoded = decode<T>(bytes, version);
    ASSERT_TRUE(decoded) << decoded.error().what;
    EXPECT_TRUE(*decoded == message);
    Buffer encoded;
    ASSERT_TRUE(encode(message, version, encoded));
    EXPECT_EQ(encoded, bytes);
}

TEST(KafkasGroupMessages, AskToJoin) {
    JoinGroupRequest request{
        .group_id = "orders", .session_timeout_ms = 45000, .protocol_type = "consumer"};
    request.protocols.push_back({"range", from_hex("0001")});
    expect_sent_as(request, 0,
                   "00066f72646572730000afc800000008636f6e73756d657200000001000572616e676500000002"
                   "0001");
    request.rebalance_timeout_ms = 300000;
    expect_sent_as(request, 5,
                   "00066f72646572730000afc8000493e00000ffff0008636f6e73756d657200000001000572616e"
                   "6765000000020001");
    request.group_instance_id = "i";
    request.reason = "new";
    expect_sent_as(request, 9,
                   "076f72646572730000afc8000493e001026909636f6e73756d6572020672616e67650300010004"
                   "6e657700");
}

TEST(KafkasGroupMessages, AskToLeave) {
    LeaveGroupRequest request{.group_id = "orders"};
    request.members.push_back({.member_id = "m-1", .group_instance_id = "i", .reason = "done"});
    expect_sent_as(request, 5, "076f726465727302046d2d31026905646f6e650000");
}

TEST(KafkasGroupMessages, AskForOffsets) {
    OffsetFetchRequest request;
    request.require_stable = true;
    auto& group = request.groups.emplace_back();
    group.group_id = "orders";
    group.member_id = "m-1";
    group.member_epoch = 9;
    group.topics.emplace().push_back({.topic_id = topic, .partition_indexes = {3}});
    expect_sent_as(request, 10,
                   "02076f7264657273046d2d3100000009020102030405060708090a0b0c0d0e0f10020000000300"
                   "000100");
    expect_sent_as(OffsetFetchRequest{.group_id = "orders"}, 5, "00066f7264657273ffffffff");
}

TEST(KafkasGroupMessages, AnswerAHeartbeat) {
    ConsumerGroupHeartbeatResponse response;
    response.member_id = "m-1";
    response.member_epoch = 9;
    response.heartbeat_interval_ms = 5000;
    response.assignment.emplace().topic_partitions.push_back({topic, {1, 2}});
    expect_sent_as(response, 1,
                   "00000000000000046d2d310000000900001388010201020304050607"
                   "08090a0b0c0d0e0f10030000000100000002000000");
}

}  // namespace
}  // namespace leat::wire
