#include <algorithm>

#include "core/app/assembly.h"
#include "core/app/group_settings.h"
#include "core/app/operator_view.h"
#include "core/app/silent_logger.h"
#include "core/app/topic_settings.h"

namespace leat::app {
CheckedPlugins check_plugins(const config::Config& config, host::InstanceMaker& maker) {
    CheckedPlugins checked;
    const auto check = [](const config::InstanceConfig& instance, auto checking) {
        if (instance.plugin.empty()) return sdk::Settings{};  // Complained about by load().
        return checking(instance).value_or(sdk::Settings{});
    };
    for (const auto& instance : config.storage) {
        checked.storage.push_back(
            check(instance, [&](const auto& each) { return maker.check_storage(each); }));
    }
    for (const auto& instance : config.replication) {
        checked.replication.push_back(
            check(instance, [&](const auto& each) { return maker.check_replication(each); }));
    }
    for (const auto& instance : config.assignment) {
        checked.assignment.push_back(
            check(instance, [&](const auto& each) { return maker.check_assignment(each); }));
    }
    checked.coordination = check(config.coordination,
                                 [&](const auto& each) { return maker.check_coordination(each); });
    checked.complaints = maker.complaints();
    return checked;
}

Verdict judge(const config::Loading& loading) {
    Verdict verdict{loading.complaints, {}};
    if (!loading.readable) return verdict;
    const config::Config& config = loading.config;
    SilentLogger nobody;
    host::PluginHost host{nobody};
    find_plugins(host, config);
    host::InstanceMaker maker{host, config.source};
    auto& mistakes = verdict.mistakes;
    for (const auto& more : {check_topic_configs(config), check_operator_view(config),
                             check_groups(config), check_plugins(config, maker).complaints}) {
        mistakes.insert(mistakes.end(), more.begin(), more.end());
    }
    std::ranges::stable_sort(mistakes, {}, &config::Complaint::place);
    if (!mistakes.empty()) return verdict;
    verdict.warnings = volatile_storage(config, host);
    for (auto& more : exposed_operator_view(config)) verdict.warnings.push_back(std::move(more));
    for (const host::Refusal& refusal : host.refusals()) {
        verdict.warnings.push_back(config.source.warning(
            {}, "plugins of " + refusal.file + " are not used: it " + refusal.reason));
    }
    return verdict;
}

std::vector<config::Complaint> volatile_storage(const config::Config& config,
                                                const host::PluginHost& host) {
    std::vector<config::Complaint> warnings;
    const auto look = [&](const std::string& topics, const std::string& storage,
                          config::Place place, const char* lost) {
        const auto named =
            std::ranges::find(config.storage, storage, &config::InstanceConfig::name);
        if (named == config.storage.end()) return;
        const auto plugin = host.storage().find(named->plugin);
        if (plugin == host.storage().end() || plugin->second.declaration.capabilities.durable) {
            return;
        }
        warnings.push_back(config.source.warning(place.line > 0 ? place : named->plugin_place,
                                                 topics + " are kept in " + named->table +
                                                     ", and its plugin `" + named->plugin +
                                                     "` is not durable: at a restart " + lost));
    };
    const auto& defaults = config.topic_defaults;
    const auto& internal = config.internal_topics;
    look("topics of [topic_defaults]", defaults.storage, defaults.storage_place,
         "their records are gone");
    look("the broker's own topics, [internal_topics],", internal.storage, internal.storage_place,
         "what they remember for clients is gone");
    for (const auto& [pattern, settings] : config.topics) {
        if (settings.storage_place.line == 0) continue;  // What the defaults say is said above.
        look("topics of [topics.\"" + pattern + "\"]", settings.storage, settings.storage_place,
             "their records are gone");
    }
    std::ranges::stable_sort(warnings, {}, &config::Complaint::place);
    return warnings;
}

}  // namespace leat::app
