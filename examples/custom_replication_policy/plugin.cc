// Enrols the policy under the name that a configuration says.
#include "leat/sdk/plugin.h"

#include <memory>

#include "all_replicas.h"

LEAT_PLUGIN("custom_replication_policy", "1.0.0", [](leat::sdk::Registrar& host) {
    host.replication_policy(
        {.name = "all_replicas",
         .description = "An example: committed is what every replica holds.",
         .options = {},
         .least_replicas = 1,
         .most_replicas = AllReplicas::most_replicas,
         .make = [](leat::sdk::PluginContext&, const leat::sdk::Settings&)
             -> leat::sdk::Result<std::unique_ptr<leat::sdk::ReplicationPolicy>> {
             return std::unique_ptr<leat::sdk::ReplicationPolicy>{std::make_unique<AllReplicas>()};
         }});
});
