#include <toml++/toml.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/config/node.h"

namespace leat::config {

namespace {

Place place_of(const toml::source_region& region) {
    return {region.begin.line, region.begin.column};
}

Node node_of(const toml::node& from);

Table table_of(const toml::table& from) {
    Table table;
    for (const auto& [key, value] : from)
        table.entries.push_back(
            {std::string{key.str()}, place_of(key.source()), node_of(value)});
    std::sort(table.entries.begin(), table.entries.end(),
              [](const Entry& a, const Entry& b) { return a.key_place < b.key_place; });
    return table;
}

Node node_of(const toml::node& from) {
    Node node{place_of(from.source()), DateOrTime{}};
    if (const auto* table = from.as_table()) {
        node.value = table_of(*table);
    } else if (const auto* array = from.as_array()) {
        Array items;
        for (const toml::node& item : *array) items.items.push_back(node_of(item));
        node.value = std::move(items);
    } else if (const auto* text = from.as_string()) {
        node.value = text->get();
    } else if (const auto* boolean = from.as_boolean()) {
        node.value = boolean->get();
    } else if (const auto* integer = from.as_integer()) {
        node.value = integer->get();
    } else if (const auto* fraction = from.as_floating_point()) {
        node.value = fraction->get();
    }
    return node;
}

}  // namespace

// Debian's TOML++ is built with exceptions: they end here.
std::variant<Node, Complaint> parse_toml(const Source& source, std::string_view text) {
    try {
        return Node{{1, 1}, table_of(toml::parse(text))};
    } catch (const toml::parse_error& error) {
        std::string reason = "not TOML: " + std::string{error.description()};
        if (reason.ends_with("utf-8 sequence")) reason += "; save the file as UTF-8";
        return source.complaint(place_of(error.source()), reason);
    }
}

}  // namespace leat::config
