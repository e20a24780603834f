#include "core/metrics/catalogue.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

namespace leat::metrics {
namespace {

bool ends_with_one_of(std::string_view name, std::initializer_list<std::string_view> ends) {
    for (const auto end : ends) {
        if (name.ends_with(end)) return true;
    }
    return false;
}

TEST(MetricsCatalogue, NamesFollowTheConventionsOfPrometheus) {
    std::set<std::string_view> names;
    for (const Metric* metric : catalogue()) {
        const std::string_view name = metric->name;
        EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
        EXPECT_TRUE(name.starts_with("leat_") || name.starts_with("process_")) << name;
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos)
            << name;
        EXPECT_EQ(name.ends_with("_total"), metric->kind == Kind::counter) << name;
        EXPECT_EQ(name.ends_with("_duration_seconds"), metric->kind == Kind::histogram) << name;
        EXPECT_FALSE(ends_with_one_of(name, {"_ms", "_kb", "_mb", "_count", "_sum", "_bucket"}))
            << name;
        EXPECT_FALSE(metric->help.empty() || metric->help.ends_with('.')) << name;
        EXPECT_EQ(metric->help.find_first_of("\n\\|"), std::string_view::npos) << name;
    }
}

// docs/metrics.md is written by hand but for its table, which stands between these lines.
TEST(MetricsCatalogue, ThePageListsWhatTheBrokerTells) {
    std::ifstream stream{METRICS_PAGE};
    const std::string page{std::istreambuf_iterator<char>{stream}, {}};
    EXPECT_NE(page.find("<!-- catalogue -->\n" + reference() + "<!-- end -->\n"), std::string::npos)
        << "docs/metrics.md should have between `<!-- catalogue -->` and `<!-- end -->`:\n"
        << reference();
}

}  // namespace
}  // namespace leat::metrics
