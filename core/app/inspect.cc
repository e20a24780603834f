// leat check, plugins, apis: what can be said without serving.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/api/apis.h"
#include "core/app/assembly.h"
#include "core/app/commands.h"
#include "core/app/silent_logger.h"
#include "core/wire/apis.h"
#include "core/wire/apis_json.h"

namespace leat::app {
namespace {

using nlohmann::json;

json to_json(const config::Complaint& complaint) {
    return {{"file", complaint.file},
            {"line", complaint.place.line},
            {"column", complaint.place.column},
            {"reason", complaint.reason}};
}

json to_json(const std::vector<config::Complaint>& complaints) {
    json all = json::array();
    for (const auto& complaint : complaints) all.push_back(to_json(complaint));
    return all;
}

void print(const json& value) {
    std::printf("%s\n", value.dump(2).c_str());
}

json to_json(const host::Listing& plugin) {
    json options = json::array();
    for (const sdk::Option& option : plugin.options) {
        options.push_back({{"name", option.name}, {"description", option.description}});
    }
    return {{"kind", plugin.kind},
            {"name", plugin.name},
            {"version", plugin.origin.version},
            {"file", plugin.origin.file},
            {"description", plugin.description},
            {"capabilities", plugin.capabilities},
            {"options", options}};
}

void print_listing(const host::Listing& plugin) {
    std::printf("%-13s %-12s %-8s %s\n", plugin.kind.c_str(), plugin.name.c_str(),
                plugin.origin.version.c_str(), plugin.description.c_str());
    std::string capabilities;
    for (const auto& one : plugin.capabilities) {
        capabilities += (capabilities.empty() ? "" : ", ") + one;
    }
    if (!capabilities.empty()) std::printf("%27s can: %s\n", "", capabilities.c_str());
    for (const sdk::Option& option : plugin.options) {
        std::printf("%27s %s: %s\n", "", option.name.c_str(), option.description.c_str());
    }
    std::printf("%27s from %s\n", "", plugin.origin.file.c_str());
}

}  // namespace

int check(const std::filesystem::path& file, bool as_json) {
    const auto [mistakes, warnings] = judge(config::load(file));
    if (as_json) {
        print({{"ok", mistakes.empty()},
               {"complaints", to_json(mistakes)},
               {"warnings", to_json(warnings)}});
        return mistakes.empty() ? 0 : 1;
    }
    std::fputs(config::text_of(mistakes).c_str(), stderr);
    std::fputs(config::text_of(warnings).c_str(), stderr);
    if (mistakes.empty()) {
        std::printf("%s is fine%s\n", file.c_str(), warnings.empty() ? "" : ", but see above");
    }
    return mistakes.empty() ? 0 : 1;
}

bool discover_plugins(host::PluginHost& host, const std::optional<std::filesystem::path>& file) {
    config::Config config;
    if (file) {
        auto loading = config::load(*file);
        if (!loading.ok()) {
            std::fputs(config::text_of(loading.complaints).c_str(), stderr);
            return false;
        }
        config = std::move(loading.config);
    }
    find_plugins(host, config);
    return true;
}

int plugins(const std::optional<std::filesystem::path>& file, bool as_json) {
    SilentLogger nobody;
    host::PluginHost host{nobody};
    if (!discover_plugins(host, file)) return 1;
    if (as_json) {
        json found = json::array(), refused = json::array();
        for (const auto& plugin : host.listings()) found.push_back(to_json(plugin));
        for (const auto& refusal : host.refusals()) {
            refused.push_back({{"file", refusal.file}, {"reason", refusal.reason}});
        }
        print({{"plugins", found}, {"refused", refused}});
        return 0;
    }
    for (const auto& plugin : host.listings()) print_listing(plugin);
    for (const auto& refusal : host.refusals()) {
        std::printf("refused       %s: %s\n", refusal.file.c_str(), refusal.reason.c_str());
    }
    return 0;
}

int apis(bool as_json) {
    json all = json::array();
    for (const api::Api& api : api::served_apis()) {
        const wire::ApiDescription* described = wire::describe(api.key);
        if (!as_json) {
            std::printf("%3d  %-26s %d-%d\n", static_cast<int>(api.key),
                        std::string{described->name}.c_str(), api.advertised.min,
                        api.advertised.max);
            continue;
        }
        json line = json::parse(wire::to_json(*described));
        line["versions"] = {api.advertised.min, api.advertised.max};
        line["served"] = {api.served.min, api.served.max};
        all.push_back(std::move(line));
    }
    if (as_json) print(all);
    return 0;
}

}  // namespace leat::app
