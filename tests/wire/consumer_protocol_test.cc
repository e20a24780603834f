// What consumers say to each other through the coordinator. The bytes in full are from Kafka 4.4's
// own classes.

#include "core/wire/consumer_protocol.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/wire/hex.h"

namespace leat::wire {
namespace {

ConsumerProtocolSubscription subscription_of(Version version) {
    ConsumerProtocolSubscription made{.topics = {"t", "u"}, .user_data = from_hex("09")};
    if (version >= 1) made.owned_partitions.push_back({"t", {0, 2}});
    if (version >= 2) made.generation_id = 5;
    if (version >= 3) made.rack_id = "r";
    return made;
}

ConsumerProtocolAssignment assignment() {
    ConsumerProtocolAssignment made;
    made.assigned_partitions.push_back({"t", {0, 2}});
    return made;
}

const std::string topics =
    "00000002000174000175000000"
    "0109";
const std::string owned =
    "0000000100017400000002"
    "0000000000000002";
const std::string assigned = owned + "ffffffff";

TEST(ConsumerProtocol, SubscriptionsAreKafkas) {
    const std::string of_version[] = {"0000" + topics, "0001" + topics + owned,
                                      "0002" + topics + owned + "00000005",
                                      "0003" + topics + owned + "00000005" + "000172"};
    for (Version v = 0; v <= 3; ++v) {
        SCOPED_TRACE(v);
        const Buffer bytes = from_hex(of_version[v]);
        const auto decoded = decode_subscription(bytes);
        ASSERT_TRUE(decoded) << decoded.error().what;
        EXPECT_EQ(decoded->version, v);
        EXPECT_TRUE(decoded->message == subscription_of(v));
        EXPECT_EQ(*encode_subscription(subscription_of(v), v), bytes);
        EXPECT_EQ(*encode_subscription(subscription_of(3), v), bytes)
            << "what the version has no place for is left out";
    }
}

TEST(ConsumerProtocol, AssignmentsAreKafkas) {
    for (Version v = 0; v <= 3; ++v) {
        SCOPED_TRACE(v);
        const Buffer bytes = from_hex("000" + std::to_string(v) + assigned);
        const auto decoded = decode_assignment(bytes);
        ASSERT_TRUE(decoded) << decoded.error().what;
        EXPECT_EQ(decoded->version, v);
        EXPECT_TRUE(decoded->message == assignment());
        EXPECT_EQ(*encode_assignment(assignment(), v), bytes);
    }
}

TEST(ConsumerProtocol, VersionsYetToComeAreReadAsTheNewestKnown) {
    for (const std::string version : {"0004", "7fff"}) {
        SCOPED_TRACE(version);
        const auto subscription = decode_subscription(
            from_hex(version + topics + owned + "00000005" + "000172" + "abcdef"));
        ASSERT_TRUE(subscription) << subscription.error().what;
        EXPECT_EQ(subscription->version, std::stoi(version, nullptr, 16));
        EXPECT_TRUE(subscription->message == subscription_of(3));
        const auto decoded = decode_assignment(from_hex(version + assigned + "abcdef"));
        ASSERT_TRUE(decoded) << decoded.error().what;
        EXPECT_TRUE(decoded->message == assignment());
        EXPECT_EQ(*encode_assignment(assignment(), subscription->version),
                  from_hex("0003" + assigned));
    }
}

TEST(ConsumerProtocol, UserDataIsNullOrEmptyAsItCame) {
    for (const std::string data : {"ffffffff", "00000000"}) {
        SCOPED_TRACE(data);
        const Buffer bytes = from_hex("000000000000" + data);
        const auto decoded = decode_subscription(bytes);
        ASSERT_TRUE(decoded) << decoded.error().what;
        EXPECT_EQ(decoded->message.user_data.has_value(), data == "00000000");
        EXPECT_EQ(*encode_subscription(decoded->message, 0), bytes);
    }
}

TEST(ConsumerProtocol, ForeignBytesAreRefused) {
    const Buffer whole = from_hex("0003" + topics + owned + "00000005" + "000172");
    for (std::size_t n = 0; n < whole.size(); ++n) {
        const auto cut = decode_subscription(std::span{whole}.first(n));
        ASSERT_FALSE(cut) << n;
        EXPECT_EQ(cut.error().code, sdk::Errc::corrupt);
    }
    for (const std::string_view hex :
         {"", "00", "0000", "ffff00000000ffffffff", "00007fffffff", "0000fffffffe",
          "00000000000100017400000001", "000000000001ffff00000000ffffffff"}) {
        const auto decoded = decode_assignment(from_hex(hex));
        ASSERT_FALSE(decoded) << hex;
        EXPECT_EQ(decoded.error().code, sdk::Errc::corrupt) << hex;
    }
}

TEST(ConsumerProtocol, MemoryIsBoundByTheBytes) {
    // A million topics of two bytes, a std::string each in memory.
    Buffer many = from_hex("0000000f4240");
    many.resize(many.size() + 2'000'000);
    const auto decoded = decode_subscription(many);
    ASSERT_FALSE(decoded);
    EXPECT_NE(decoded.error().what.find("memory"), std::string::npos) << decoded.error().what;
}

}  // namespace
}  // namespace leat::wire
