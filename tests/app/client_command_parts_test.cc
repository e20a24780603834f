// The parts of the commands over the wire that need no broker.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/app/client_commands/base64.h"
#include "core/app/client_commands/delimited_input.h"
#include "core/app/client_commands/escapes.h"
#include "core/app/client_commands/progress.h"
#include "core/app/client_commands/starting_point.h"

namespace leat::app {
namespace {

using namespace std::chrono_literals;
using sdk::Errc;

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheRfc) {
    const std::pair<std::string, std::string> all[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {std::string{"\xff\xfe\0", 3}, "//4A"},
    };
    for (const auto& [bytes, text] : all) {
        EXPECT_EQ(to_base64(bytes), text);
        EXPECT_EQ(from_base64(text), bytes);
    }
}

TEST(Base64, RefusesWhatIsNoneOrSaysOneThingInTwoWays) {
    for (const auto* text :
         {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm9-", "Zm9v\n", " Zm9"}) {
        EXPECT_EQ(from_base64(text), std::nullopt) << text;
    }
}

TEST(Escapes, StandForTheirBytes) {
    EXPECT_EQ(*parse_delimiter("--d", "a\\n\\t\\r\\\\\\x1F\\0b"),
              (std::string{"a\n\t\r\\\x1f\0b", 8}));
    for (const auto* text : {"", "\\", "\\q", "\\x", "\\x1", "\\xg0", "\\x+1"}) {
        EXPECT_FALSE(parse_delimiter("--d", text)) << text;
    }
}

TEST(StartingPoint, IsReadInEachForm) {
    using Kind = StartingPoint::Kind;
    constexpr std::int64_t now = 1'700'000'000'000;  // 2023-11-14T22:13:20Z
    const std::pair<std::string, StartingPoint> all[] = {
        {"beginning", {Kind::beginning}},
        {"end", {Kind::end}},
        {"0", {Kind::offset, 0}},
        {"9223372036854775807", {Kind::offset, INT64_MAX}},
        {"-7", {Kind::before_end, 7}},
        {"@1700000000123", {Kind::time, now + 123}},
        {"20s", {Kind::time, now - 20'000}},
        {"20000d", {Kind::time, 0}},
        {"1970-01-01", {Kind::time, 0}},
        {"2023-11-14T22:13", {Kind::time, now - 20'000}},
        {"2023-11-14 22:13:20", {Kind::time, now}},
        {"2023-11-14T22:13:20.123Z", {Kind::time, now + 123}},
        {"2024-02-29Z", {Kind::time, 1'709'164'800'000}},
    };
    for (const auto& [text, point] : all) {
        const auto parsed = parse_starting_point(text, now);
        ASSERT_TRUE(parsed) << text;
        EXPECT_EQ(*parsed, point) << text;
    }
    for (const auto* text : {"", "-", "@", "@-1", "--7", "9223372036854775808", "1.5", "soon",
                             "2023-1-1", "2023-02-29", "2023-13-01", "2023-11-14T", "2023-11-14T22",
                             "2023-11-14T24:00", "2023-11-14T22:60", "2023-11-14T22:13:20.12",
                             "2023-11-14T22:13+01:00", "2023-11-14x", "10 minutes"}) {
        EXPECT_FALSE(parse_starting_point(text, now)) << text;
    }
    EXPECT_EQ(time_text(now + 7), "2023-11-14T22:13:20.007Z");
    EXPECT_EQ(time_text(0), "1970-01-01T00:00:00.000Z");
}

TEST(Progress, IsWrittenForPeople) {
    EXPECT_EQ(progress_text(1, 0, 0ms), "1 record, 0 B in 0.0 s (1,000/s)");
    EXPECT_EQ(progress_text(1'234'567, 5'600'000, 2000ms),
              "1,234,567 records, 5.6 MB in 2.0 s (617,283/s)");
}

class Input : public testing::Test {
protected:
    Input() { EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0); }
    ~Input() override {
        ::close(ends[0]);
        if (ends[1] >= 0) ::close(ends[1]);
    }
    void write(std::string_view text) {
        ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void end() { ::close(std::exchange(ends[1], -1)); }

    int ends[2];
    client::Watch watch;
};

TEST_F(Input, IsCutAtDelimitersWhereverTheBytesAreTorn) {
    DelimitedInput input{ends[0], "ab", watch};
    write("oneabtw");
    EXPECT_EQ(**input.next(1h), "one");
    EXPECT_EQ(input.next(0ms).error().code, Errc::timed_out);
    write("oa");
    EXPECT_EQ(input.next(0ms).error().code, Errc::timed_out);
    write("babaab");
    EXPECT_EQ(**input.next(1h), "two");
    EXPECT_EQ(**input.next(1h), "");
    EXPECT_EQ(**input.next(1h), "a");
    write("rest");
    end();
    EXPECT_EQ(**input.next(1h), "rest");
    EXPECT_EQ(*input.next(1h), std::nullopt);
    EXPECT_EQ(*input.next(1h), std::nullopt);
    EXPECT_EQ(input.pieces(), 5u);
}

TEST_F(Input, WithADelimiterAtItsEndHasNoEmptyPieceThere) {
    DelimitedInput input{ends[0], "\n", watch};
    write("\none\n");
    end();
    EXPECT_EQ(**input.next(1h), "");
    EXPECT_EQ(**input.next(1h), "one");
    EXPECT_EQ(*input.next(1h), std::nullopt);
}

TEST_F(Input, WaitsNoLongerThanTheWatchHasIt) {
    int stop[2];
    ASSERT_EQ(::pipe2(stop, O_CLOEXEC), 0);
    watch.stop_when(stop[0], POLLIN);
    DelimitedInput input{ends[0], "\n", watch};
    ASSERT_EQ(::write(stop[1], "", 1), 1);
    EXPECT_EQ(input.next(1h).error().code, Errc::closed);
    ::close(stop[0]);
    ::close(stop[1]);
}

}  // namespace
}  // namespace leat::app
