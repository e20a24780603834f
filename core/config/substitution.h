// What stands elsewhere than in the configuration file, such as a password:
//
//   password = "${env:STORE_PASSWORD}"       The environment of this process.
//   password = "${file:secrets/password}"    A file; relative to the configuration's folder. Its
//                                            last line end is not part of it.
//   greeting = "$${stays}"                   The text "${stays}".
//
// Only strings that are values of the file are looked at: never a key, never what was put in, and
// nothing that comes from the network. Topic configs are refused: every client may ask for them.
// A complaint names the place and what was asked for, not what it holds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/config/node.h"
#include "core/config/source.h"

namespace leat::config {

inline constexpr std::size_t most_substituted_bytes = 64 * 1024;      // By one file or variable.
inline constexpr std::size_t most_substitutions_bytes = 1024 * 1024;  // By all of them.

// Replaces them in the tree below `root` and tells `source` what it must not show from then on.
// A string that cannot be had becomes Unknown.
void substitute(Node& root, const std::filesystem::path& folder, Source& source,
                std::vector<Complaint>& complaints);

}  // namespace leat::config
