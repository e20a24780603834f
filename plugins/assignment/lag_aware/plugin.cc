// Enrols the group assignor `lag_aware`.
#include "leat/sdk/plugin.h"

#include <memory>

#include "lag_aware_assignor.h"

namespace {

using namespace leat;

std::vector<sdk::Option> options() {
    const lag_aware::Measure usual;
    return {
        {.name = "partition_weight",
         .kind = sdk::OptionKind::integer,
         .fallback = usual.partition_weight,
         .description = "Records that a partition counts beside its lag.",
         .least = 1,
         .most = lag_aware::most_lag},
        {.name = "least_gain",
         .kind = sdk::OptionKind::integer,
         .fallback = usual.least_gain,
         .description = "Records that a move takes off the more loaded of two members, at least.",
         .least = 1,
         .most = lag_aware::most_lag},
        {.name = "tolerated_spread",
         .kind = sdk::OptionKind::integer,
         .fallback = usual.tolerated_spread,
         .description = "Percent of the mean load by which members may differ before any "
                        "partition moves.",
         .least = 0,
         .most = 1000},
    };
}

sdk::Result<std::unique_ptr<sdk::GroupAssignor>> make(sdk::PluginContext&,
                                                      const sdk::Settings& settings) {
    return std::unique_ptr<sdk::GroupAssignor>{
        std::make_unique<lag_aware::LagAwareAssignor>(lag_aware::Measure{
            .partition_weight = settings.integer("partition_weight"),
            .least_gain = settings.integer("least_gain"),
            .tolerated_spread = settings.integer("tolerated_spread"),
        })};
}

}  // namespace

LEAT_PLUGIN("lag_aware", "1.0.0", [](leat::sdk::Registrar& host) {
    host.group_assignor({.name = "lag_aware",
                         .description = "Even lag, and a move only where it brings enough.",
                         .options = options(),
                         .capabilities = lag_aware::LagAwareAssignor::capabilities,
                         .make = make});
});
