// What a shell completes after `leat`: a script made from the commands and options as they were
// declared, so that it never says more or less than this program takes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace leat::app {

// For bash: commands, options, and the values of options that have a list of them; else file names.
// Needs nothing but bash: `source <(leat completion bash)`.
std::string bash_completion(const CLI::App& root);

// The same for zsh, once its `compinit` has run: `source <(leat completion zsh)`, or as the file
// `_leat` in a folder of $fpath.
std::string zsh_completion(const CLI::App& root);

}  // namespace leat::app
