#include "core/groups/topic_pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace leat::groups {
namespace {

bool matches(std::string_view pattern, std::string_view topic) {
    auto compiled = TopicPattern::compile(pattern);
    EXPECT_TRUE(compiled.has_value()) << pattern;
    return compiled.has_value() && compiled->matches(topic);
}

std::string refused(std::string_view pattern) {
    auto compiled = TopicPattern::compile(pattern);
    return compiled.has_value() ? "" : compiled.error().what;
}

TEST(ATopicPattern, DescribesTheWholeName) {
    EXPECT_TRUE(matches("orders", "orders"));
    EXPECT_FALSE(matches("orders", "orders-eu"));
    EXPECT_FALSE(matches("orders", "my-orders"));
    EXPECT_TRUE(matches("orders.*", "orders-eu"));
    EXPECT_TRUE(matches("^orders-(eu|us)$", "orders-us"));
    EXPECT_FALSE(matches("a|ab", "abc"));
    EXPECT_TRUE(matches("a|ab", "ab")) << "the longer of two that begin alike";
}

TEST(ATopicPattern, IsOfPerlsKindWithoutWhatTakesLong) {
    EXPECT_TRUE(matches("sensor-\\d+", "sensor-17"));
    EXPECT_TRUE(matches("(?i)SENSOR", "sensor"));
    EXPECT_TRUE(matches("[[:alpha:]]+\\.\\w+", "a.b_1"));
    EXPECT_TRUE(matches("", ""));
    EXPECT_FALSE(matches("", "a"));
    EXPECT_NE(refused("(a)\\1"), "") << "a back reference";
    EXPECT_NE(refused("a(?=b)"), "") << "lookahead";
}

TEST(ATopicPattern, ThatIsBadSaysWhatIsWrongWithIt) {
    EXPECT_EQ(refused("(foo"), "missing ): (foo");
    EXPECT_EQ(refused("[a"), "missing ]: [a");
    EXPECT_EQ(refused("*"), "no argument for repetition operator: *");
    EXPECT_NE(refused("\xff"), "") << "bytes that are no text";
}

TEST(ATopicPattern, TakesNoMoreMemoryThanItMay) {
    EXPECT_EQ(refused("\\pL{1000}"), "it takes more than 1048576 bytes when compiled");
    EXPECT_EQ(refused(std::string(32'768, 'a')), "it is longer than 32767 bytes");
    EXPECT_EQ(refused(std::string(32'767, 'a')), "");
    EXPECT_EQ(refused("a{1001}"), "invalid repetition size: {1001}");
}

TEST(ATopicPattern, TakesTimeThatIsLinearInTheName) {
    const std::string name(249, 'a');
    EXPECT_FALSE(matches("(a*)*(a*)*(a*)*b", name)) << "backtracking would not end in a lifetime";
}

TEST(ATopicPattern, CanBeMoved) {
    auto first = TopicPattern::compile("a+");
    ASSERT_TRUE(first.has_value());
    TopicPattern second = std::move(*first);
    EXPECT_TRUE(second.matches("aa"));
    auto third = TopicPattern::compile("b");
    ASSERT_TRUE(third.has_value());
    second = std::move(*third);
    EXPECT_TRUE(second.matches("b"));
    EXPECT_FALSE(second.matches("aa"));
}

}  // namespace
}  // namespace leat::groups
