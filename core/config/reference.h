// The manual of the configuration file, from the declarations that the loader itself reads by, and
// of plugins' options, from the declarations that the host checks by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/settings.h"

namespace leat::config {

struct KeyReference {
    std::string name;
    std::string type;         // "text", "boolean", "integer", "size", "duration", "path", ...
    std::string unit;         // Of sizes and durations: "ms, s, min, h, d"; else empty.
    std::string fallback;     // The default, as it would stand in the file; empty: it has none.
    std::string range;        // "1 to 10000", "header | full"; empty if anything goes.
    std::string description;  // One or more sentences.
    std::string example;      // A value, as it would stand in the file.
};
struct SectionReference {
    std::string table;  // "[limits]", "[[listener]]"; empty for the keys above all tables.
    std::string description;
    std::vector<KeyReference> keys;
};

// Every section but those that hold topic configs, in the order in which files have them.
std::vector<SectionReference> reference();

KeyReference reference_of(const sdk::Option& option);

}  // namespace leat::config
