#include "core/client/partitioner.h"

#include <gtest/gtest.h>

namespace leat::client {
namespace {

// As Kafka's own UtilsTest has them, which counts with a sign.
TEST(Partitioner, HashesAsKafkasProducersDo) {
    EXPECT_EQ(static_cast<std::int32_t>(murmur2("21")), -973932308);
    EXPECT_EQ(static_cast<std::int32_t>(murmur2("foobar")), -790332482);
    EXPECT_EQ(static_cast<std::int32_t>(murmur2("a-little-bit-long-string")), -985981536);
    EXPECT_EQ(static_cast<std::int32_t>(murmur2("a-little-bit-longer-string")), -1486304829);
    EXPECT_EQ(static_cast<std::int32_t>(murmur2("abc")), 479470107);
}

TEST(Partitioner, StaysWithinThePartitions) {
    for (const std::string_view key : {"", "k", "foobar", "21"}) {
        for (const int partitions : {1, 2, 7}) {
            EXPECT_GE(partition_of_key(key, partitions), 0);
            EXPECT_LT(partition_of_key(key, partitions), partitions);
        }
    }
}

}  // namespace
}  // namespace leat::client
