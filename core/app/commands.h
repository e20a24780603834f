// The subcommands of `leat`. Each returns the program's exit code: 0 all is well, 1 the
// configuration or the machine refuses (a sentence on stderr says why), 2 the command line is
// wrong.
#pragma once

#include <filesystem>
#include <optional>

namespace leat::app {

int serve(const std::filesystem::path& file);

// Reads, loads the plugins that are named, checks every option: all that serve() does before it
// touches the data folder.
int check(const std::filesystem::path& file, bool json);

// What the plugin folders hold, and why what is refused is refused. Without a file: the built-in
// folder.
int plugins(const std::optional<std::filesystem::path>& file, bool json);

// Each API that is served, its versions and its fields.
int apis(bool json);

}  // namespace leat::app
