#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/app/explain/manual.h"

namespace leat::app {
namespace {

using nlohmann::json;

constexpr std::size_t text_width = 78;

// `text` in lines of at most text_width, each behind `margin`.
std::string wrapped(const std::string& text, const std::string& margin) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t end = std::min(text.size(), at + text_width - margin.size());
        if (end < text.size()) {
            const std::size_t blank = text.rfind(' ', end);
            if (blank != std::string::npos && blank > at) end = blank;
        }
        out += margin + text.substr(at, end - at) + "\n";
        at = end;
        while (at < text.size() && text[at] == ' ') ++at;
    }
    return out;
}

std::string type_and_unit(const config::KeyReference& key) {
    return key.unit.empty() ? key.type : key.type + " (" + key.unit + ")";
}

// Without a default: needed, if the note does not say where one comes from.
std::string fallback_of(const ManualKey& key) {
    if (!key.is.fallback.empty()) return key.is.fallback;
    return key.note.empty() ? "none: it is needed" : "";
}

void append_key(std::string& out, const ManualSection& section, const ManualKey& key) {
    const auto line = [&](const char* label, const std::string& value) {
        if (!value.empty()) out += "      " + std::string{label} + value + "\n";
    };
    out += "\n  " + key.path + "\n";
    out += wrapped(key.is.description, "      ");
    if (!key.note.empty()) out += wrapped(key.note, "      ");
    line("type      ", type_and_unit(key.is));
    line("default   ", fallback_of(key));
    line("range     ", key.is.range);
    if (!section.plugin.empty()) line("plugin    ", section.plugin);
    std::string example = example_of(section, key);
    const char* label = "example   ";
    while (!example.empty()) {
        const std::size_t end = example.find('\n');
        line(label, example.substr(0, end));
        example.erase(0, end + 1);
        label = "          ";
    }
}

// A table's cell: bars would end it.
std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
        text.insert(at, "\\");
    }
    return text;
}
std::string code(const std::string& text) {
    return text.empty() ? "" : "`" + text + "`";
}

constexpr const char* markdown_preamble =
    R"(# Configuration

Written by `leat explain --markdown` from the declarations that the broker checks by; a test holds
this page against them. `leat explain KEY` says the same of one key, a section or a plugin;
`leat check FILE` checks a file.

## Values from elsewhere

A string in the file may hold `${env:NAME}`, a variable of the broker's environment, and
`${file:PATH}`, what a file holds: PATH is relative to the configuration, one line end at its end is
not part of it; it is a regular file of UTF-8, 64 KiB at most, that not everybody may write.
`$${X}` is the text `${X}`. Where a number or a boolean is wanted, the text is converted, and
checked as if it stood in the file. Only strings of this file are looked into: nothing that a client
sends, and not what was put in. Topic configs take no such values, as every client may ask for them.

What was put in may be a secret: a complaint shows the reference, not the value, and DescribeConfigs
marks the broker config sensitive and leaves its value out. What a value is for is another matter: a
listener's address is announced, and DescribeLogDirs names the data folder.
)";

}  // namespace

std::string as_text(const Manual& manual) {
    std::string out;
    for (const auto& section : manual) {
        if (!out.empty()) out += "\n";
        out += section.title + "\n" + wrapped(section.description, "  ");
        if (section.keys.empty()) out += "  It has no options.\n";
        for (const auto& key : section.keys) append_key(out, section, key);
    }
    return out;
}

std::string as_markdown(const Manual& manual) {
    std::string out = markdown_preamble;
    for (const auto& section : manual) {
        const bool is_table = section.title.starts_with("[") && section.plugin.empty();
        out += "\n## " + (is_table ? code(section.title) : section.title) + "\n\n";
        out += section.description + "\n";
        if (section.keys.empty()) {
            out += "It has no options.\n";
            continue;
        }
        out += "\n| key | type | default | range | meaning |\n|---|---|---|---|---|\n";
        std::string lines;
        for (const auto& key : section.keys) {
            const std::string fallback =
                key.is.fallback.empty() ? fallback_of(key) : code(cell(key.is.fallback));
            out += "| " + code(key.is.name) + " | " + cell(type_and_unit(key.is)) + " | " +
                   fallback + " | " + cell(key.is.range) + " | " + cell(key.is.description) +
                   (key.note.empty() ? "" : " " + cell(key.note)) + " |\n";
            const bool whole_line = key.is.example.starts_with("\"" + key.is.name);
            if (!key.is.example.empty()) {
                lines += (whole_line ? "" : key.is.name + " = ") + key.is.example + "\n";
            }
        }
        out += "\n```toml\n" + section.opening + lines + "```\n";
    }
    return out;
}

std::string as_json(const Manual& manual) {
    json sections = json::array();
    for (const auto& section : manual) {
        json keys = json::array();
        for (const auto& key : section.keys) {
            json one = {{"path", key.path},
                        {"name", key.is.name},
                        {"type", key.is.type},
                        {"description", key.is.description},
                        {"example", example_of(section, key)}};
            one["unit"] = key.is.unit.empty() ? json{} : json(key.is.unit);
            one["default"] = key.is.fallback.empty() ? json{} : json(key.is.fallback);
            one["range"] = key.is.range.empty() ? json{} : json(key.is.range);
            one["note"] = key.note.empty() ? json{} : json(key.note);
            keys.push_back(std::move(one));
        }
        sections.push_back({{"section", section.name},
                            {"title", section.title},
                            {"plugin", section.plugin.empty() ? json{} : json(section.plugin)},
                            {"description", section.description},
                            {"keys", keys}});
    }
    return json{{"sections", sections}}.dump(2) + "\n";
}

}  // namespace leat::app
