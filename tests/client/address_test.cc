// What a person may write for a broker.
#include "core/client/address.h"

#include <gtest/gtest.h>

namespace leat::client {
namespace {

TEST(Address, HasThePortOfKafkaUnlessItSaysAnother) {
    const auto all = parse_addresses("broker-1,broker-2:9093,10.0.0.7:1,[::1],[fe80::2]:9094");
    ASSERT_TRUE(all) << all.error().what;
    const std::vector<Address> wanted{
        {"broker-1", 9092}, {"broker-2", 9093}, {"10.0.0.7", 1}, {"::1", 9092}, {"fe80::2", 9094}};
    EXPECT_EQ(*all, wanted);
}

TEST(Address, IsWrittenSoThatItCanBeReadAgain) {
    for (const Address& address : {Address{"broker-1", 9092}, Address{"::1", 65535}}) {
        EXPECT_EQ((std::vector{address}), *parse_addresses(text_of(address)));
    }
}

TEST(Address, IsRefusedWithThePartThatIsNone) {
    for (const std::string bad : {"", ":9092", "a:", "a:0", "a:65536", "a:x", "a:1:2", "[::1",
                                  "[::1]9092", "[]:1", "a:9092 "}) {
        const auto parsed = parse_addresses("good:1," + bad);
        ASSERT_FALSE(parsed) << bad;
        EXPECT_EQ(parsed.error().what, "`" + bad + "` is no HOST:PORT of a broker");
    }
}

}  // namespace
}  // namespace leat::client
