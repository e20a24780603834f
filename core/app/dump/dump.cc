#include "core/app/dump/dump.h"

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "core/app/assembly.h"
#include "core/app/dump/printer.h"
#include "core/app/silent_logger.h"

namespace leat::app {
namespace {

constexpr int most_depth = 32;  // Of folders in folders.

class Walk {
public:
    Walk(const Dump& asked, const std::vector<sdk::FileInspector>& plugins)
        : asked_{asked}, plugins_{plugins}, printer_{asked.json} {}

    int run() {
        printer_.begin();
        for (const auto& path : asked_.paths) {
            std::error_code error;
            if (std::filesystem::is_directory(path, error)) {
                folder(path, 0);
            } else {
                file(path, true);
            }
        }
        printer_.end();
        if (printer_.damages() != 0) {
            std::fprintf(stderr, "leat: %llu damaged places in %llu files\n",
                         static_cast<unsigned long long>(printer_.damages()),
                         static_cast<unsigned long long>(damaged_files_));
        }
        return printer_.damages() == 0 && complete_ ? 0 : 1;
    }

private:
    void folder(const std::filesystem::path& path, int depth) {
        std::error_code error;
        std::vector<std::filesystem::directory_entry> entries;
        for (std::filesystem::directory_iterator each{path, error}, end; !error && each != end;
             each.increment(error)) {
            entries.push_back(*each);
        }
        if (error) return refuse(path, error.message());
        if (depth > most_depth) return refuse(path, "too many folders in folders");
        std::ranges::sort(entries);
        for (const auto& entry : entries) {
            if (entry.is_symlink(error)) continue;  // Leads elsewhere, or around in a circle.
            if (entry.is_directory(error)) folder(entry.path(), depth + 1);
            if (entry.is_regular_file(error)) file(entry.path(), false);
        }
    }

    void file(const std::filesystem::path& path, bool named) {
        const auto opened = FileBytes::open(path);
        if (!opened) return refuse(path, opened.error().what);
        const Format format = format_of(*opened, plugins_);
        const auto damages = printer_.damages();
        printer_.begin_file(path, format.kind, opened->size());
        if (format.tell) format.tell(*opened, asked_.options, printer_);
        printer_.end_file();
        if (printer_.damages() != damages) ++damaged_files_;
        if (opened->error() != 0) {
            refuse(path, std::generic_category().message(opened->error()));
        } else if (named && format.kind.empty()) {
            refuse(path, "no file of Leat's or Kafka's has such a name, and no plugin knows it");
        }
    }

    void refuse(const std::filesystem::path& path, const std::string& why) {
        std::fprintf(stderr, "leat: %s: %s\n", path.c_str(), why.c_str());
        complete_ = false;
    }

    const Dump& asked_;
    const std::vector<sdk::FileInspector>& plugins_;
    Printer printer_;
    std::uint64_t damaged_files_ = 0;
    bool complete_ = true;
};

}  // namespace

int dump(const Dump& asked) {
    SilentLogger nobody;
    host::PluginHost host{nobody};
    if (!discover_plugins(host, asked.config)) return 1;
    std::vector<sdk::FileInspector> plugins;
    for (const auto& [name, enrolled] : host.coordination()) {
        const auto& files = enrolled.declaration.files;
        plugins.insert(plugins.end(), files.begin(), files.end());
    }
    return Walk{asked, plugins}.run();
}

}  // namespace leat::app
