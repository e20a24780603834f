// Enrols the `single` replication policy.
#include "leat/sdk/plugin.h"

#include <memory>

#include "single_policy.h"

namespace {

using namespace leat;

sdk::Result<std::unique_ptr<sdk::ReplicationPolicy>> make(sdk::PluginContext&,
                                                          const sdk::Settings&) {
    return std::unique_ptr<sdk::ReplicationPolicy>{std::make_unique<single::SinglePolicy>()};
}

}  // namespace

LEAT_PLUGIN("single", "1.0.0", [](leat::sdk::Registrar& host) {
    host.replication_policy({.name = "single",
                             .description = "One replica: what its leader holds is committed.",
                             .options = {},
                             .least_replicas = 1,
                             .most_replicas = 1,
                             .make = make});
});
