// In the place of discovery.cc where a program holds all its plugins: a static one cannot load any.
#include "core/host/plugin_host.h"

namespace leat::host {

bool PluginHost::loads_libraries() {
    return false;
}

void PluginHost::discover(std::span<const std::filesystem::path> folders) {
    for (const std::filesystem::path& folder : folders) {
        refuse(folder.string(),
               "is not searched, for this program holds its plugins and loads no others; remove it "
               "from `search_path` in [plugins], or use a `leat` that loads plugins");
    }
}

sdk::Result<Enrolled<sdk::AssignmentDeclaration>> PluginHost::reload_assignor(
    const std::string& name) {
    return sdk::Error{sdk::Errc::unsupported, name + " is built in: it has no file"};
}

}  // namespace leat::host
