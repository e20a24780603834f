// What a broker told at one moment, read from Prometheus' text, and a page of what changed between
// two such moments: what `leat top` shows.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace leat::app {

// Samples by their name with labels, as in the text: `leat_partitions{state="open"}`. Lines that
// are none are left out.
using MetricsSnapshot = std::map<std::string, double, std::less<>>;

MetricsSnapshot parse_metrics(std::string_view text);

// Rates are those since `before`, `seconds` ago. The busiest topics are shown.
struct PageShape {
    std::size_t topics = 20;
    double seconds = 1;
};
std::string metrics_page(const MetricsSnapshot& before, const MetricsSnapshot& now,
                         const PageShape& shape);

}  // namespace leat::app
