// Measures what a group assignor takes for 1,000 members and 10,000 partitions in three racks: of a
// group that was never assigned, and of one that is assigned and in which a member has left and
// another has come, one after the other.
//
//   assignors --assignor sticky --members 1000 --partitions 10000 --seconds 4
//
// Knows nothing of a broker: what else scripts/bench says is of no use to it. The last line of its
// output is one JSON object.
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "leat/sdk/testing/assignment_groups.h"
#include "plugins/assignment/lag_aware/lag_aware_assignor.h"
#include "plugins/assignment/rack_aware/rack_aware_assignor.h"
#include "plugins/assignment/range/range_assignor.h"
#include "plugins/assignment/sticky/sticky_assignor.h"
#include "plugins/assignment/uniform/uniform_assignor.h"
#include "tests/bench/arguments.h"
#include "tests/bench/measure.h"

namespace leat::bench {
namespace {

struct Unlimited final : sdk::AssignmentSteps {
    bool take(std::uint64_t) override { return true; }
};

std::unique_ptr<sdk::GroupAssignor> assignor_of(const std::string& name) {
    if (name == "lag_aware") return std::make_unique<lag_aware::LagAwareAssignor>();
    if (name == "rack_aware") return std::make_unique<rack_aware::RackAwareAssignor>();
    if (name == "range") return std::make_unique<range::RangeAssignor>();
    if (name == "sticky") return std::make_unique<sticky::StickyAssignor>();
    if (name == "uniform") return std::make_unique<uniform::UniformAssignor>();
    return nullptr;
}

int measure(const Arguments& given) {
    const std::string name = given.text("assignor", "uniform");
    const auto assignor = assignor_of(name);
    if (!assignor) return std::fprintf(stderr, "no assignor %s\n", name.c_str()), 1;
    const std::int64_t until =
        now_ns() + static_cast<std::int64_t>(given.real("seconds", 4) * 1'000'000'000);
    sdk::testing::RandomGroups random{1};
    const auto members = static_cast<std::uint32_t>(given.number("members", 1000));
    const auto partitions = static_cast<std::uint32_t>(given.number("partitions", 10'000));
    const sdk::AssignmentInput fresh = random.huge(members, partitions);
    sdk::AssignmentInput changed = fresh;
    Histogram spans;
    while (now_ns() < until) {
        for (sdk::AssignmentInput each : {fresh, changed}) {
            Unlimited steps;
            const std::int64_t began = now_ns();
            const auto assignment = assignor->assign(each, steps);
            spans.add(now_ns() - began);
            if (!assignment) return std::fprintf(stderr, "it does not assign\n"), 1;
            changed = std::move(each);
            sdk::testing::RandomGroups::settle(changed, *assignment);
        }
        sdk::testing::RandomGroups::leave(changed, random.up_to(members - 1));
        random.join(changed);
    }
    std::printf("{\"row\":\"assignors\",\"p50_us\":%.1f,\"p99_us\":%.1f,\"calls\":%llu}\n",
                spans.percentile_us(50), spans.percentile_us(99),
                static_cast<unsigned long long>(spans.total()));
    return 0;
}

}  // namespace
}  // namespace leat::bench

int main(int count, char** words) {
    return leat::bench::measure(leat::bench::Arguments{count, words});
}
