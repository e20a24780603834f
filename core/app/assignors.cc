#include "core/app/assignors.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "plugins/assignment/uniform/uniform_assignor.h"

namespace leat::app {

broker::Assignor built_in_assignor() {
    return {"uniform", std::make_shared<uniform::UniformAssignor>(),
            uniform::UniformAssignor::capabilities};
}

namespace {

sdk::Result<broker::Assignor> make_assignor(const config::InstanceConfig& instance,
                                            const sdk::Settings& settings, host::PluginHost& host,
                                            host::InstanceMaker& maker, sdk::Shard& shard) {
    auto made = maker.make_assignment(instance, settings, {.shard = shard});
    if (!made) return made.error();
    auto held = std::make_shared<host::Instance<sdk::GroupAssignor>>(std::move(*made));
    const auto& declaration = host.assignment().find(instance.plugin)->second.declaration;
    return broker::Assignor{instance.name, {held, held->object.get()}, declaration.capabilities};
}

config::InstanceConfig by_default(const std::string& plugin) {
    return {plugin, "[assignment." + plugin + "]", plugin, {}, {}, {}};
}

}  // namespace

sdk::Result<std::vector<broker::Assignor>> make_assignors(const config::Config& config,
                                                          const std::vector<sdk::Settings>& checked,
                                                          host::PluginHost& host,
                                                          host::InstanceMaker& maker,
                                                          sdk::Shard& shard) {
    std::vector<broker::Assignor> made;
    for (std::size_t i = 0; i < config.assignment.size(); ++i) {
        auto one = make_assignor(config.assignment[i], checked[i], host, maker, shard);
        if (!one) return one.error();
        made.push_back(std::move(*one));
    }
    const auto taken = [&made](const std::string& name) {
        return std::ranges::find(made, name, &broker::Assignor::name) != made.end();
    };
    for (const auto& [name, enrolled] : host.assignment()) {
        if (taken(name)) continue;
        const config::InstanceConfig instance = by_default(name);
        host::InstanceMaker quiet{host, config.source};  // Nobody asked for it: no complaints.
        const auto settings = quiet.check_assignment(instance);
        if (!settings) continue;
        auto one = make_assignor(instance, *settings, host, quiet, shard);
        if (one) {
            made.push_back(std::move(*one));
        } else {
            host.logger().log(logging::Level::warn, "group assignor left out",
                              {{"assignor", name}, {"reason", one.error().what}});
        }
    }
    if (broker::Assignor ours = built_in_assignor(); !taken(ours.name)) {
        made.push_back(std::move(ours));
    }
    return made;
}

sdk::Result<ReloadedAssignors> reload_assignors(const config::Config& config,
                                                const std::string& name, host::PluginHost& host,
                                                sdk::Shard& shard) {
    auto old = host.reload_assignor(name);
    if (!old) return old.error();
    const auto refuse = [&](std::string why) {
        host.put_back(std::move(*old));
        return sdk::Error{sdk::Errc::invalid_argument, std::move(why)};
    };
    std::vector<config::InstanceConfig> instances;
    bool named = false;
    for (const config::InstanceConfig& each : config.assignment) {
        named = named || each.name == name;
        if (each.plugin == name) instances.push_back(each);
    }
    if (!named) instances.push_back(by_default(name));
    ReloadedAssignors reloaded{{}, host.assignment().find(name)->second.origin};
    for (const config::InstanceConfig& instance : instances) {
        host::InstanceMaker maker{host, config.source};
        const auto settings = maker.check_assignment(instance);
        if (!settings) return refuse(config::text_of(maker.complaints()));
        auto made = make_assignor(instance, *settings, host, maker, shard);
        if (!made) return refuse(made.error().what);
        reloaded.made.push_back(std::move(*made));
    }
    return reloaded;
}

}  // namespace leat::app
