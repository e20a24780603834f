// From a table of the configuration to an object that a plugin made.
//
//   InstanceMaker maker{host, config.source};
//   auto settings = maker.check_storage(table);   // All complaints, nothing is made: `leat check`.
//   auto engine = maker.make_storage(table, std::move(*settings), {.shard = ..., ...});
//
// Whatever a factory does wrong (throws, returns nothing, fails) is an Error with the instance's
// and the plugin's name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "core/host/plugin_context.h"
#include "core/host/plugin_host.h"
#include "leat/sdk/plugin.h"
#include "leat/sdk/result.h"
#include "leat/sdk/settings.h"

namespace leat::host {

// An object and what it was lent; the object goes first. It must not outlive the host.
template <class Interface>
struct Instance {
    std::string name;
    std::unique_ptr<InstanceContext> context;
    std::unique_ptr<Interface> object;
};

class InstanceMaker {
public:
    InstanceMaker(PluginHost& host, const config::Source& source) : host_{host}, source_{source} {}

    // Settings in which every declared option has a value; nothing if there were complaints.
    std::optional<sdk::Settings> check_storage(const config::InstanceConfig& instance);
    std::optional<sdk::Settings> check_coordination(const config::InstanceConfig& instance);
    std::optional<sdk::Settings> check_replication(const config::InstanceConfig& instance);
    std::optional<sdk::Settings> check_assignment(const config::InstanceConfig& instance);

    // What all checks so far complained about.
    const std::vector<config::Complaint>& complaints() const { return complaints_; }

    // After a check of the same instance that gave `settings`. On the thread that the declaration
    // names: storage and assignment [worker], the others [shard].
    sdk::Result<Instance<sdk::StorageEngine>> make_storage(const config::InstanceConfig& instance,
                                                           const sdk::Settings& settings,
                                                           Loan loan);
    sdk::Result<Instance<sdk::CoordinationBackend>> make_coordination(
        const config::InstanceConfig& instance, const sdk::Settings& settings, Loan loan);
    sdk::Result<Instance<sdk::ReplicationPolicy>> make_replication(
        const config::InstanceConfig& instance, const sdk::Settings& settings, Loan loan);
    sdk::Result<Instance<sdk::GroupAssignor>> make_assignment(
        const config::InstanceConfig& instance, const sdk::Settings& settings, Loan loan);

private:
    template <class Found>
    std::optional<sdk::Settings> check(const config::InstanceConfig& instance,
                                       std::string_view kind, const Found& found);
    std::optional<sdk::Settings> check_options(const config::InstanceConfig& instance,
                                               const std::vector<sdk::Option>& options);
    template <class Interface, class Found>
    sdk::Result<Instance<Interface>> make(const config::InstanceConfig& instance,
                                          const sdk::Settings& settings, Loan loan,
                                          const Found& found);

    PluginHost& host_;
    const config::Source& source_;
    std::vector<config::Complaint> complaints_;
};

}  // namespace leat::host
