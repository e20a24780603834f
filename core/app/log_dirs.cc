#include "core/app/log_dirs.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <system_error>

namespace leat::app {
namespace {

std::int64_t bytes_of(std::uintmax_t bytes) {
    return static_cast<std::int64_t>(std::min<std::uintmax_t>(bytes, INT64_MAX));
}

// The engine may not have made its folder yet: then that of the data folder.
api::LogDirs::Space space_at(std::filesystem::path path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) path = path.parent_path();
    const auto space = std::filesystem::space(path, error);
    if (error) return {};
    return {.total = bytes_of(space.capacity), .usable = bytes_of(space.available)};
}

}  // namespace

api::LogDirs log_dirs(const config::Config& config, const std::filesystem::path& data,
                      const host::PluginHost& host) {
    api::LogDirs dirs;
    std::set<std::string> on_a_device;
    for (const config::InstanceConfig& instance : config.storage) {
        const std::string path = data / instance.name;
        dirs.by_storage[instance.name] = path;
        const auto plugin = host.storage().find(instance.plugin);
        if (plugin != host.storage().end() && plugin->second.declaration.capabilities.durable) {
            on_a_device.insert(path);
        }
    }
    dirs.space = [on_a_device = std::move(on_a_device)](const std::string& path) {
        return on_a_device.contains(path) ? space_at(path) : api::LogDirs::Space{};
    };
    return dirs;
}

}  // namespace leat::app
