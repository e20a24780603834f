// A TOML document as a tree in which every key and value knows its place. The rest of the folder,
// and the plugin host, read this; only toml_file.cc knows TOML++.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/config/source.h"
#include "leat/sdk/result.h"

namespace leat::config {

inline constexpr std::size_t most_file_bytes = 1024 * 1024;

struct Entry;
struct Node;

struct Table {
    std::vector<Entry> entries;  // As in the file.

    const Entry* find(std::string_view key) const;
};
struct Array {
    std::vector<Node> items;
};
struct DateOrTime {};  // No key of ours takes one.
struct Unknown {};     // What `${...}` names could not be had; complained about already.

struct Node {
    Place place;
    std::variant<std::string, bool, std::int64_t, double, DateOrTime, Array, Table, Unknown> value;
    std::string written{};  // As in the file, if `value` came in its place (substitution.h).

    const Table* table() const { return std::get_if<Table>(&value); }
    const Array* array() const { return std::get_if<Array>(&value); }
};

struct Entry {
    std::string key;
    Place key_place;
    Node value;
};

std::string_view kind_of(const Node& node);  // "a string", "an integer", ...

// What was wrong with the file's TOML, as one complaint, or its root table.
std::variant<Node, Complaint> parse_toml(const Source& source, std::string_view text);

}  // namespace leat::config
