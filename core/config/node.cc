#include "core/config/node.h"

#include <array>

namespace leat::config {

const Entry* Table::find(std::string_view key) const {
    for (const Entry& entry : entries)
        if (entry.key == key) return &entry;
    return nullptr;
}

std::string_view kind_of(const Node& node) {
    static constexpr std::array<std::string_view, std::variant_size_v<decltype(Node::value)>> kinds{
        "a string",       "a boolean", "an integer", "a number with a fraction",
        "a date or time", "an array",  "a table",    "something unknown"};
    return kinds[node.value.index()];
}

}  // namespace leat::config
