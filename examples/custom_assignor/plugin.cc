// Enrols the assignor under its name.
#include "leat/sdk/plugin.h"

#include <memory>

#include "rendezvous.h"

LEAT_PLUGIN("custom_assignor", "1.0.0", [](leat::sdk::Registrar& host) {
    host.group_assignor(
        {.name = "rendezvous",
         .description = "An example: a partition is where a hash says, whoever else comes or goes.",
         .options = {},
         .capabilities = Rendezvous::capabilities,
         .make = [](leat::sdk::PluginContext&, const leat::sdk::Settings&)
             -> leat::sdk::Result<std::unique_ptr<leat::sdk::GroupAssignor>> {
             return std::unique_ptr<leat::sdk::GroupAssignor>{std::make_unique<Rendezvous>()};
         }});
});
