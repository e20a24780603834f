// leat explain [KEY]: what a configuration may say.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace leat::app {

enum class ExplainForm { text, json, markdown };

struct Explain {
    std::string key;                              // Empty: everything.
    std::optional<std::filesystem::path> config;  // A configuration, for its plugins.
    ExplainForm form = ExplainForm::text;
};

// The exit code: 0, 1 if the configuration cannot be read, 2 if there is no such key.
int explain(const Explain& asked);

}  // namespace leat::app
