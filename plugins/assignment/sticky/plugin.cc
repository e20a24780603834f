// Enrols the group assignor `sticky`.
#include "leat/sdk/plugin.h"

#include <memory>

#include "sticky_assignor.h"

namespace {

using namespace leat;

sdk::Result<std::unique_ptr<sdk::GroupAssignor>> make(sdk::PluginContext&, const sdk::Settings&) {
    return std::unique_ptr<sdk::GroupAssignor>{std::make_unique<sticky::StickyAssignor>()};
}

}  // namespace

LEAT_PLUGIN("sticky", "1.0.0", [](leat::sdk::Registrar& host) {
    host.group_assignor({.name = "sticky",
                         .description = "Even numbers of partitions, and then the fewest moves.",
                         .options = {},
                         .capabilities = sticky::StickyAssignor::capabilities,
                         .make = make});
});
