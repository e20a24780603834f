#include <unistd.h>

#include <climits>
#include <span>

#include "core/app/assembly.h"

// Written by the build (leat_link_plugins): none, or those of LEAT_BUILT_IN_PLUGINS.
std::span<const leat::sdk::PluginInfo* const> leat_static_plugins();

namespace leat::app {
namespace {

std::filesystem::path program_folder() {
    char path[PATH_MAX];
    const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
    if (size <= 0) return std::filesystem::current_path();
    return std::filesystem::path{std::string{path, static_cast<std::size_t>(size)}}.parent_path();
}

// Installed, the program is in PREFIX/bin; in a build folder, plugins are beside it.
std::filesystem::path own_folder() {
    const auto program = program_folder();
    return program.filename() == "bin" ? program.parent_path() / "lib/leat/plugins"
                                       : program / "plugins";
}

}  // namespace

void find_plugins(host::PluginHost& host, const config::Config& config) {
    host.enroll_built_in(leat_static_plugins());
    auto folders = config.plugins.search_path;
    if (host::PluginHost::loads_libraries()) folders.push_back(own_folder());
    host.discover(folders);
}

}  // namespace leat::app
