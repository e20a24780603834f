#include "core/config/units.h"

#include <gtest/gtest.h>

#include "core/config/config.h"
#include "core/config/nearest.h"

namespace leat::config {
namespace {

using std::chrono::milliseconds;

TEST(Units, ReadSizesAndDurations) {
    EXPECT_EQ(parse_size("64MiB"), Size{64ull << 20});
    EXPECT_EQ(parse_size("1 GiB"), Size{1ull << 30});
    EXPECT_EQ(parse_size("0B"), Size{0});
    EXPECT_EQ(parse_duration("168h"), milliseconds{168 * 3'600'000});
    EXPECT_EQ(parse_duration("10min"), milliseconds{600'000});
    for (const char* bad : {"", "5", "MiB", "-1B", "1MB", "1.5GiB", "9999999TiB", "1KiB "})
        EXPECT_EQ(parse_size(bad), std::nullopt) << bad;
    for (const char* bad : {"", "5", "1m", "-1s", "99999999999999999999s", "9223372036854775807d"})
        EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
}

TEST(Units, PrintWhatTheyWouldRead) {
    EXPECT_EQ(text_of(Size{100ull << 20}), "100MiB");
    EXPECT_EQ(text_of(Size{1025}), "1025B");
    EXPECT_EQ(text_of(milliseconds{90'000}), "90s");
    EXPECT_EQ(text_of(milliseconds{0}), "0ms");
}

TEST(Nearest, FindsWhatWasMeantAndLeavesTheRestAlone) {
    const std::vector<std::string> words{"partitions", "storage", "replication"};
    EXPECT_EQ(nearest("partition", words), "partitions");
    EXPECT_EQ(nearest("stroage", words), "storage");
    EXPECT_EQ(nearest("banana", words), std::nullopt);
    EXPECT_EQ(nearest(std::string(100'000, 'x'), words), std::nullopt);
}

TEST(Endpoint, IsAHostAndAPort) {
    EXPECT_EQ(parse_endpoint("127.0.0.1:9092"), (sdk::Endpoint{"127.0.0.1", 9092}));
    EXPECT_EQ(parse_endpoint("[::1]:0"), (sdk::Endpoint{"::1", 0}));
    EXPECT_EQ(parse_endpoint(":9092"), (sdk::Endpoint{"", 9092}));
    for (const char* bad : {"", "host", "host:", "host:70000", "::1:9092", "a b:1", "h:1x"})
        EXPECT_EQ(parse_endpoint(bad), std::nullopt) << bad;
}

TEST(Pattern, MatchesRunsOfCharacters) {
    EXPECT_TRUE(matches("sensor-*", "sensor-"));
    EXPECT_TRUE(matches("*-a-*b", "x-a-a-bb"));
    EXPECT_TRUE(matches("exact", "exact"));
    EXPECT_FALSE(matches("sensor-*", "sensor"));
    EXPECT_FALSE(matches("*a", "ab"));
}

}  // namespace
}  // namespace leat::config
