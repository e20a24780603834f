// The group assignors of a broker: those that the configuration names, every other plugin that was
// found under its own name, and the built-in one.
#pragma once

#include <string>
#include <vector>

#include "core/broker/assignor_runner.h"
#include "core/config/config.h"
#include "core/host/instances.h"
#include "core/host/plugin_host.h"
#include "leat/sdk/result.h"

namespace leat::app {

// `uniform`, linked in: what a group gets whose assignor fails. Options are the defaults.
broker::Assignor built_in_assignor();

// [worker] `checked` are the settings of config.assignment, in that order. What the configuration
// does not name and cannot be made is left out, and the log says why. Each holds on to its context;
// `host` and `shard` outlive them.
sdk::Result<std::vector<broker::Assignor>> make_assignors(const config::Config& config,
                                                          const std::vector<sdk::Settings>& checked,
                                                          host::PluginHost& host,
                                                          host::InstanceMaker& maker,
                                                          sdk::Shard& shard);

// [worker] All instances of the assignor plugin `name`, made anew of its file as it is now; or why
// that cannot be, and then `host` has what it had.
struct ReloadedAssignors {
    std::vector<broker::Assignor> made;
    host::Origin origin;
};
sdk::Result<ReloadedAssignors> reload_assignors(const config::Config& config,
                                                const std::string& name, host::PluginHost& host,
                                                sdk::Shard& shard);

}  // namespace leat::app
