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

sdk::Result<Enrolled<sdk::AssignmentDeclaration>> PluginHost::reload_assignor(
    const std::string& name) {
    const auto known = assignment_.find(name);
    if (known == assignment_.end()) {
        return sdk::Error{sdk::Errc::not_found, "there is no group assignor " + name};
    }
    const std::string file = known->second.origin.file;
    if (file == built_in) {
        return sdk::Error{sdk::Errc::unsupported, name + " is built in: it has no file"};
    }
    const auto refused = [&](const std::string& why) {
        return sdk::Error{sdk::Errc::invalid_argument, file + " " + why};
    };
    const auto bytes = read_library(file);
    if (!bytes) return refused(bytes.error().what);
    const auto info = load_library(*bytes);
    if (!info) return refused(info.error().what);
    Enrolment offered;
    if (const auto status = offered.run(**info); !status) return refused(status.error().what);
    const auto found =
        std::ranges::find(offered.assignment, name, &sdk::AssignmentDeclaration::name);
    if (found == offered.assignment.end()) return refused("has no group assignor " + name + " now");
    Enrolled<sdk::AssignmentDeclaration> fresh{std::move(*found),
                                               {file, (*info)->name, (*info)->version}};
    return std::exchange(known->second, std::move(fresh));
}

}  // namespace leat::host
