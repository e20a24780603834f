// Enrols the group assignor `rack_aware`.
#include "leat/sdk/plugin.h"

#include <memory>

#include "rack_aware_assignor.h"

namespace {

using namespace leat;

sdk::Result<std::unique_ptr<sdk::GroupAssignor>> make(sdk::PluginContext&, const sdk::Settings&) {
    return std::unique_ptr<sdk::GroupAssignor>{std::make_unique<rack_aware::RackAwareAssignor>()};
}

}  // namespace

LEAT_PLUGIN("rack_aware", "1.0.0", [](leat::sdk::Registrar& host) {
    host.group_assignor(
        {.name = "rack_aware",
         .description = "Even numbers of partitions, and then replicas in the member's rack.",
         .options = {},
         .capabilities = rack_aware::RackAwareAssignor::capabilities,
         .make = make});
});
