// Enrols the group assignor `uniform`.
#include "leat/sdk/plugin.h"

#include <memory>

#include "uniform_assignor.h"

namespace {

using namespace leat;

sdk::Result<std::unique_ptr<sdk::GroupAssignor>> make(sdk::PluginContext&, const sdk::Settings&) {
    return std::unique_ptr<sdk::GroupAssignor>{std::make_unique<uniform::UniformAssignor>()};
}

}  // namespace

LEAT_PLUGIN("uniform", "1.0.0", [](leat::sdk::Registrar& host) {
    host.group_assignor({.name = "uniform",
                         .description = "Even numbers of partitions, few moves; as Kafka's.",
                         .options = {},
                         .capabilities = uniform::UniformAssignor::capabilities,
                         .make = make});
});
