#include "core/app/metrics_snapshot.h"

#include <gtest/gtest.h>

namespace leat::app {
namespace {

bool has(const std::string& page, const std::string& text) {
    return page.find(text) != std::string::npos;
}

TEST(MetricsSnapshot, ReadsSamplesAndLeavesOutTheRest) {
    const auto snapshot = parse_metrics(
        "# HELP a b\n\na 3\nb_total{topic=\"with \\\"space 1\"} 2.5e3\nbroken\nno number x\n");
    EXPECT_EQ(snapshot, (MetricsSnapshot{{"a", 3}, {"b_total{topic=\"with \\\"space 1\"}", 2500}}));
    EXPECT_TRUE(parse_metrics("").empty());
}

TEST(MetricsSnapshot, APageTellsRatesBetweenTwoLooks) {
    const std::string produce = "leat_request_duration_seconds";
    const MetricsSnapshot before{{produce + "_count{api=\"Produce\"}", 100},
                                 {"leat_topic_produced_bytes_total{topic=\"t\"}", 1024}};
    const MetricsSnapshot now{
        {"leat_ready", 1},
        {produce + "_bucket{api=\"Produce\",le=\"0.001\"}", 98},
        {produce + "_bucket{api=\"Produce\",le=\"0.002\"}", 99.5},
        {produce + "_bucket{api=\"Produce\",le=\"+Inf\"}", 100},
        {produce + "_count{api=\"Produce\"}", 200},
        {"leat_request_errors_total{api=\"Produce\",error=\"CORRUPT_MESSAGE\"}", 4},
        {"leat_topic_produced_bytes_total{topic=\"t\"}", 3072},
        {"leat_topic_produced_records_total{topic=\"t\"}", 30},
        {"leat_topic_log_bytes{topic=\"t\"}", 5 << 20}};
    const auto page = metrics_page(before, now, {.seconds = 2});
    EXPECT_TRUE(page.starts_with("ready ")) << page;
    EXPECT_TRUE(has(page, "Produce                            50.0     2.0 ms          2.0\n"))
        << page;
    EXPECT_TRUE(has(page, " 15.0      1.0 KiB          0 B      5.0 MiB\n")) << page;
}

TEST(MetricsSnapshot, ABrokerThatStartedAnewCountsFromNothing) {
    const MetricsSnapshot before{{"leat_request_duration_seconds_count{api=\"Fetch\"}", 1000}};
    const MetricsSnapshot now{{"leat_request_duration_seconds_count{api=\"Fetch\"}", 10}};
    const auto page = metrics_page(before, now, {.seconds = 1});
    EXPECT_TRUE(has(page, "Fetch                              10.0 ")) << page;
    EXPECT_TRUE(page.starts_with("NOT READY")) << page;
}

TEST(MetricsSnapshot, TheBusiestTopicsAreShown) {
    MetricsSnapshot now;
    for (int i = 0; i < 9; ++i) {
        const std::string topic = "{topic=\"t" + std::to_string(i) + "\"}";
        now["leat_topic_log_bytes" + topic] = 1;
        now["leat_topic_produced_bytes_total" + topic] = i;
    }
    const auto page = metrics_page({}, now, {.topics = 2});
    EXPECT_TRUE(has(page, "\nt8 ") && has(page, "\nt7 ")) << page;
    EXPECT_FALSE(has(page, "\nt6 ")) << page;
}

}  // namespace
}  // namespace leat::app
