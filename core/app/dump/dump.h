// leat dump PATH...: what files of a data folder hold, Leat's and Kafka's, and what is wrong with
// them. Opens for reading only, so that it can look at a running broker's files; what that one is
// writing may then be told as cut off.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/app/dump/formats.h"

namespace leat::app {

struct Dump {
    std::vector<std::filesystem::path> paths;     // A folder: everything in it.
    std::optional<std::filesystem::path> config;  // A configuration, for its plugins.
    DumpOptions options;
    bool json = false;
};

// The exit code: 0, or 1 if there was damage or something could not be looked at.
int dump(const Dump& asked);

}  // namespace leat::app
