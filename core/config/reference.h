// The manual of the configuration file, from the declarations that the loader itself reads by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::config {

struct KeyReference {
    std::string name;
    std::string fallback;  // The default, as it would stand in the file.
    std::string range;     // "1 to 10000", "header | full"; empty if anything goes.
    std::string description;
};
struct SectionReference {
    std::string table;  // "[limits]"; empty for the keys above all tables.
    std::string description;
    std::vector<KeyReference> keys;
};

std::vector<SectionReference> reference();

}  // namespace leat::config
