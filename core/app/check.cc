#include <unistd.h>

#include <climits>

#include "core/app/assembly.h"

namespace leat::app {
namespace {

std::filesystem::path program_folder() {
    char path[PATH_MAX];
    const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
    if (size <= 0) return std::filesystem::current_path();
    return std::filesystem::path{std::string{path, static_cast<std::size_t>(size)}}.parent_path();
}

}  // namespace

std::vector<std::filesystem::path> plugin_folders(const config::Config& config) {
    auto folders = config.plugins.search_path;
    folders.push_back(program_folder() / "plugins");
    return folders;
}

CheckedPlugins check_plugins(const config::Config& config, host::InstanceMaker& maker) {
    CheckedPlugins checked;
    for (const auto& instance : config.storage) {
        checked.storage.push_back(maker.check_storage(instance).value_or(sdk::Settings{}));
    }
    for (const auto& instance : config.replication) {
        checked.replication.push_back(maker.check_replication(instance).value_or(sdk::Settings{}));
    }
    checked.coordination = maker.check_coordination(config.coordination).value_or(sdk::Settings{});
    checked.complaints = maker.complaints();
    return checked;
}

}  // namespace leat::app
