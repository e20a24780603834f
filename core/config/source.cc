#include "core/config/source.h"

#include <algorithm>
#include <utility>

namespace leat::config {

namespace {

bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Blanks up to `column`, with the tabs of `line`, so that a caret stands below its character.
std::string blanks_to(std::string_view line, std::uint32_t column) {
    std::string blanks;
    std::uint32_t at = 1;
    for (const char c : line) {
        if (continues_character(c)) continue;
        if (at++ >= column) break;
        blanks += c == '\t' ? '\t' : ' ';
    }
    return blanks;
}

// How many bytes of `text` are one UTF-8 character beyond ASCII; 0 if the first is none.
std::size_t character_size(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if (!continues_character(text[i])) return 0;
    return size;
}

// As above, of characters that a terminal may show: not those that it would obey.
std::size_t showable(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return (first >= ' ' || first == '\t') && first != 0x7f ? 1 : 0;
    const std::size_t size = character_size(text);
    const bool c1_control = first == 0xc2 && size > 1 && static_cast<unsigned char>(text[1]) < 0xa0;
    return c1_control ? 0 : size;
}

// A file can be anything, and what is printed of it must not steer the operator's terminal.
std::string shown(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        const std::size_t size = showable(text);
        if (size == 0)
            safe += '?';
        else
            safe += text.substr(0, size);
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return safe;
}

bool in_word(char c) {
    return continues_character(c) || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0xc0;
}

constexpr std::size_t shortest_telling_value = 4;

}  // namespace

bool is_text(std::string_view bytes) {
    while (!bytes.empty()) {
        const char first = bytes[0];
        const bool control = first != '\0' && static_cast<unsigned char>(first) < 0x80;
        const std::size_t size = control ? 1 : character_size(bytes);
        if (size == 0) return false;
        bytes.remove_prefix(size);
    }
    return true;
}

Source::Source(std::string file, std::string_view text) : file_{std::move(file)} {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines_.emplace_back(line);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

Complaint Source::complaint(Place place, const std::string& reason) const {
    const bool known = place.line > 0 && place.line <= lines_.size();
    return {file_, place, shown(without_hidden(reason, place)),
            known ? shown(lines_[place.line - 1]) : std::string{}};
}

bool Source::hides(std::string_view path) const {
    return std::ranges::any_of(hidden_, [&](const Hidden& each) { return each.path == path; });
}

std::string Source::without_hidden(std::string text, Place place) const {
    for (const auto& [path, from, reference, value] : hidden_) {
        if (value.empty() || (value.size() < shortest_telling_value && from != place)) continue;
        for (std::size_t at = 0; (at = text.find(value, at)) != std::string::npos;) {
            const std::size_t end = at + value.size();
            const bool begins = at == 0 || !in_word(text[at - 1]) || !in_word(value.front());
            const bool ends = end == text.size() || !in_word(text[end]) || !in_word(value.back());
            if (begins && ends) text.replace(at, value.size(), reference);
            at += begins && ends ? reference.size() : 1;
        }
    }
    return text;
}

Complaint Source::warning(Place place, const std::string& reason) const {
    Complaint made = complaint(place, reason);
    made.severity = Severity::warning;
    return made;
}

std::string where(const Complaint& complaint) {
    if (complaint.place.line == 0) return complaint.file;
    return complaint.file + ":" + std::to_string(complaint.place.line) + ":" +
           std::to_string(complaint.place.column);
}

std::string text_of(const Complaint& complaint) {
    const bool is_error = complaint.severity == Severity::error;
    std::string text =
        where(complaint) + (is_error ? ": error: " : ": warning: ") + complaint.reason + "\n";
    const std::string& line = complaint.line;
    if (complaint.place.line > 0 && !line.empty())
        text += "    " + line + "\n    " + blanks_to(line, complaint.place.column) + "^\n";
    return text;
}

std::string text_of(const std::vector<Complaint>& complaints) {
    std::string text;
    for (const Complaint& complaint : complaints) text += text_of(complaint);
    return text;
}

}  // namespace leat::config
