#include "core/metrics/text.h"

#include <gtest/gtest.h>

namespace leat::metrics {
namespace {

constexpr Metric plain{"leat_things", Kind::gauge, "Things"};
constexpr Metric by_topic{"leat_bytes_total", Kind::counter, "Bytes", {"topic"}};
constexpr Metric by_two{"leat_errors_total", Kind::counter, "Errors", {"api", "error"}};
constexpr Metric durations{"leat_duration_seconds", Kind::histogram, "Times", {"api"}};

TEST(MetricsText, EachMetricIsExplainedOnceBeforeItsSamples) {
    Text text;
    text.begin(plain);
    text.sample({}, std::uint64_t{3});
    text.begin(by_two);
    text.sample({"Produce", "CORRUPT_MESSAGE"}, std::uint64_t{18'446'744'073'709'551'615u});
    text.sample({"Fetch", "OFFSET_OUT_OF_RANGE"}, 0.5);
    EXPECT_EQ(std::move(text).take(),
              "# HELP leat_things Things\n"
              "# TYPE leat_things gauge\n"
              "leat_things 3\n"
              "# HELP leat_errors_total Errors\n"
              "# TYPE leat_errors_total counter\n"
              "leat_errors_total{api=\"Produce\",error=\"CORRUPT_MESSAGE\"} 18446744073709551615\n"
              "leat_errors_total{api=\"Fetch\",error=\"OFFSET_OUT_OF_RANGE\"} 0.5\n");
}

TEST(MetricsText, ALabelsValueMayHoldAnythingAndNeverEndsItsLine) {
    Text text;
    text.begin(by_topic);
    text.sample({"a\"b\\c\nd"}, std::uint64_t{1});
    EXPECT_NE(std::move(text).take().find("{topic=\"a\\\"b\\\\c\\nd\"} 1\n"), std::string::npos);
}

TEST(MetricsText, AHistogramsBucketsAddUpToItsCount) {
    Histogram histogram;
    histogram.record(std::chrono::microseconds{5});
    histogram.record(std::chrono::milliseconds{3});
    histogram.record(std::chrono::minutes{5});
    Text text;
    text.begin(durations);
    text.histogram({"Fetch"}, histogram);
    const std::string all = std::move(text).take();
    const auto has = [&](const char* line) { return all.find(line) != std::string::npos; };
    EXPECT_TRUE(has("leat_duration_seconds_bucket{api=\"Fetch\",le=\"4.096e-06\"} 0\n")) << all;
    EXPECT_TRUE(has("leat_duration_seconds_bucket{api=\"Fetch\",le=\"8.192e-06\"} 1\n")) << all;
    EXPECT_TRUE(has("leat_duration_seconds_bucket{api=\"Fetch\",le=\"0.004194304\"} 2\n")) << all;
    EXPECT_TRUE(has("leat_duration_seconds_bucket{api=\"Fetch\",le=\"+Inf\"} 3\n")) << all;
    EXPECT_TRUE(has("leat_duration_seconds_sum{api=\"Fetch\"} 300.003005\n")) << all;
    EXPECT_TRUE(has("leat_duration_seconds_count{api=\"Fetch\"} 3\n")) << all;
}

}  // namespace
}  // namespace leat::metrics
