// Enrols the group assignor `range`.
#include "leat/sdk/plugin.h"

#include <memory>

#include "range_assignor.h"

namespace {

using namespace leat;

sdk::Result<std::unique_ptr<sdk::GroupAssignor>> make(sdk::PluginContext&, const sdk::Settings&) {
    return std::unique_ptr<sdk::GroupAssignor>{std::make_unique<range::RangeAssignor>()};
}

}  // namespace

LEAT_PLUGIN("range", "1.0.0", [](leat::sdk::Registrar& host) {
    host.group_assignor({.name = "range",
                         .description = "Consecutive partitions of each topic; as Kafka's.",
                         .options = {},
                         .capabilities = range::RangeAssignor::capabilities,
                         .make = make});
});
