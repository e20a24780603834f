#include "core/logging/line.h"

#include <gtest/gtest.h>

namespace leat::logging {
namespace {

constexpr WallTime noon{std::chrono::milliseconds{1'772'366'400'007}};

std::string text(std::string_view event, std::vector<Field> fields) {
    return line_of(Format::text, noon, Level::info, event, fields);
}
std::string json(std::string_view event, std::vector<Field> fields) {
    return line_of(Format::json, noon, Level::warn, event, fields);
}

TEST(Line, SaysTimeLevelEventAndFields) {
    EXPECT_EQ(text("topic created", {{"topic", "orders"}, {"partitions", "3"}}),
              "2026-03-01T12:00:00.007Z info  topic created topic=orders partitions=3");
    EXPECT_EQ(json("topic created", {{"topic", "orders"}}),
              R"({"time":"2026-03-01T12:00:00.007Z","level":"warn","event":"topic created",)"
              R"("topic":"orders"})");
}

TEST(Line, QuotesValuesThatCouldBeReadAsSomethingElse) {
    EXPECT_EQ(quoted_if_needed("a b"), R"("a b")");
    EXPECT_EQ(quoted_if_needed(""), R"("")");
    EXPECT_EQ(quoted_if_needed("a=b"), R"("a=b")");
    EXPECT_EQ(quoted_if_needed(R"(say "x\y")"), R"("say \"x\\y\"")");
    EXPECT_EQ(quoted_if_needed("grün/127.0.0.1:9092"), "grün/127.0.0.1:9092");
}

TEST(Line, LetsNoClientBreakTheLineOrTheTerminal) {
    EXPECT_EQ(quoted_if_needed("x\n2026 info fine\r"), R"("x\n2026 info fine\x0d")");
    EXPECT_EQ(quoted_if_needed("\x1b[2J"), R"("\x1b[2J")");
    EXPECT_EQ(quoted_if_needed("\xc2\x9b"), R"("\xc2\x9b")") << "CSI as a C1 control";
    EXPECT_EQ(quoted_if_needed("\xe2\x80\xae"), R"("\xe2\x80\xae")") << "right to left";
    EXPECT_EQ(quoted_if_needed(std::string_view{"a\0b", 3}), R"("a\x00b")");
    EXPECT_EQ(quoted_if_needed("\xff\xc3"), R"("\xff\xc3")") << "not UTF-8";
    EXPECT_EQ(quoted_if_needed("\xed\xa0\x80"), R"("\xed\xa0\x80")") << "a surrogate";
}

TEST(Line, IsJsonWhateverTheBytesAre) {
    EXPECT_NE(json("e", {{"k", "\xff\n\x01\""}}).find(R"("k":"\\xff\n\\x01\"")"),
              std::string::npos);
}

TEST(Line, CutsLongValuesAndSaysByHowMuch) {
    const std::string line = text("e", {{"k", std::string(most_value_bytes + 7, 'a')}});
    EXPECT_NE(line.find("aaa...(7 bytes more)"), std::string::npos);
    EXPECT_LT(line.size(), most_value_bytes + 100);
}

TEST(Line, LeavesOutFieldsThatWouldMakeItTooLong) {
    const std::vector<Field> fields(20, Field{"k", std::string(most_value_bytes, '\x01')});
    for (const auto& line : {text("e", fields), json("e", fields)}) {
        EXPECT_LE(line.size(), most_line_bytes);
        EXPECT_NE(line.find("fields_left_out"), std::string::npos);
    }
}

}  // namespace
}  // namespace leat::logging
