// How a section of the file is declared, once: a struct whose `keys` name its members. Reading,
// checking, complaining and printing the reference walk that list.
//
//   struct Network {
//       std::int32_t shards = 0;
//
//       static constexpr std::string_view table = "network";
//       static constexpr std::string_view description = "Threads and sockets.";
//       static constexpr auto keys = std::tuple{
//           key("shards", &Network::shards, "Event loops; 0 is one per core.").between(0, 256),
//       };
//   };
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/config/nearest.h"
#include "core/config/node.h"
#include "core/config/values.h"

namespace leat::config {

template <class Section, class Member>
struct Key {
    std::string_view name;
    Member Section::*member;
    std::string_view description;  // One line.
    Rules rules{};
    std::string_view sample{};  // A value for the manual where the default is none, as in the file.
    bool required = false;      // Has no default; whoever reads the section complains.

    constexpr Key between(std::int64_t least, std::int64_t most) const {
        Key made = *this;
        made.rules.least = least;
        made.rules.most = most;
        return made;
    }
    constexpr Key one_of(std::string_view choices) const {  // Separated by '|'.
        Key made = *this;
        made.rules.choices = choices;
        return made;
    }
    constexpr Key such_as(std::string_view value) const {
        Key made = *this;
        made.sample = value;
        return made;
    }
    constexpr Key needed() const {
        Key made = *this;
        made.required = true;
        return made;
    }
};

template <class Section, class Member>
constexpr Key<Section, Member> key(std::string_view name, Member Section::*member,
                                   std::string_view description) {
    return {name, member, description};
}

// Where complaints are gathered while a file is read.
struct Reading {
    const Source& source;
    std::vector<Complaint>& complaints;

    void complain(Place place, std::string reason) {
        complaints.push_back(source.complaint(place, std::move(reason)));
    }
};

template <class Section>
std::vector<std::string> key_names() {
    return std::apply(
        [](const auto&... keys) { return std::vector<std::string>{std::string{keys.name}...}; },
        Section::keys);
}

// Sets the member that `entry` names. False if the section has no such key.
template <class Section>
bool read_key(Reading& reading, const Entry& entry, Section& out) {
    const auto read_if_named = [&](const auto& key) {
        if (key.name != entry.key) return false;
        if (auto reason = read(entry.value, key.name, key.rules, out.*key.member))
            reading.complain(entry.value.place, std::move(*reason));
        return true;
    };
    return std::apply([&](const auto&... keys) { return (read_if_named(keys) || ...); },
                      Section::keys);
}

// Reads every entry of `node` into `out`. `shown` is the section as the operator wrote it. Entries
// whose key is among `elsewhere` are left to the caller.
template <class Section>
void read_section(Reading& reading, const Node& node, std::string_view shown, Section& out,
                  std::initializer_list<std::string_view> elsewhere = {}) {
    const Table* table = node.table();
    if (table == nullptr) {
        reading.complain(
            node.place, std::string{shown} + " must be a table, not " + std::string{kind_of(node)});
        return;
    }
    std::vector<std::string> names = key_names<Section>();
    names.insert(names.end(), elsewhere.begin(), elsewhere.end());
    for (const Entry& entry : table->entries) {
        bool known = false;
        for (const std::string_view other : elsewhere) known = known || other == entry.key;
        if (known || read_key(reading, entry, out)) continue;
        reading.complain(entry.key_place, "unknown key `" + entry.key + "` in " +
                                              std::string{shown} + did_you_mean(entry.key, names));
    }
}

}  // namespace leat::config
