#include "core/groups/group_partition.h"

#include <gtest/gtest.h>

namespace leat::groups {
namespace {

// What String.hashCode() of a JVM says, and Kafka's Utils.abs() of it, modulo 50.
TEST(TheGroupsPartition, IsKafkas) {
    EXPECT_EQ(partition_of_group("", 50), 0);
    EXPECT_EQ(partition_of_group("a", 50), 97 % 50);
    EXPECT_EQ(partition_of_group("hello", 50), 99162322 % 50);
    EXPECT_EQ(partition_of_group("polygenelubricants", 50), 0) << "its hash is INT32_MIN";
    EXPECT_EQ(partition_of_group("\xc3\xa9", 50), 0xE9 % 50) << "e with an acute accent";
    // U+1F600 is two units: 31 * 0xD83D + 0xDE00.
    EXPECT_EQ(partition_of_group("\xf0\x9f\x98\x80", 50), (31 * 0xD83D + 0xDE00) % 50);
    EXPECT_EQ(partition_of_group("any", 1), 0);
}

TEST(TheGroupsPartition, OfBytesThatAreNoTextIsOneThatThereIs) {
    for (int first = 0x80; first < 0x100; ++first) {
        const std::string text{static_cast<char>(first), '\x80'};
        const auto partition = partition_of_group(text, 7);
        EXPECT_TRUE(partition >= 0 && partition < 7);
        EXPECT_GE(partition_of_group(text.substr(0, 1), 7), 0);
    }
}

}  // namespace
}  // namespace leat::groups
