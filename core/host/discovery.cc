// Plugins that are loaded from folders.
#include <algorithm>
#include <system_error>
#include <utility>

#include "core/host/library_file.h"
#include "core/host/plugin_host.h"

namespace leat::host {

bool PluginHost::loads_libraries() {
    return true;
}

void PluginHost::discover(std::span<const std::filesystem::path> folders) {
    for (const std::filesystem::path& folder : folders) {
        if (!folder.is_absolute()) {
            refuse(folder.string(), "a plugin folder must be an absolute path");
            continue;
        }
        std::error_code error;
        std::vector<std::filesystem::path> files;
        for (std::filesystem::directory_iterator at{folder, error}, end; !error && at != end;
             at.increment(error))
            if (at->path().extension() == ".so") files.push_back(at->path());
        if (error) {
            refuse(folder.string(), "cannot be searched: " + error.message() +
                                        "; correct `search_path` in [plugins]");
            continue;
        }
        std::sort(files.begin(), files.end());
        if (files.size() > most_libraries) {
            refuse(folder.string(), "holds more libraries than " + std::to_string(most_libraries) +
                                        ": give plugins a folder of their own");
            files.resize(most_libraries);
        }
        for (const auto& file : files) consider(file);
    }
}

void PluginHost::consider(const std::filesystem::path& file) {
    std::error_code error;
    const auto canonical = std::filesystem::canonical(file, error);
    if (!error && !seen_.insert(canonical).second) return;
    if (const auto status = load(file); !status) refuse(file.string(), status.error().what);
}

sdk::Status PluginHost::load(const std::filesystem::path& file) {
    const auto bytes = read_library(file);
    if (!bytes) return bytes.error();
    const auto info = load_library(*bytes);
    if (!info) return info.error();
    return enroll(**info, file.string());
}

}  // namespace leat::host
