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

// How many bytes of `text` are one UTF-8 character that a terminal may show; 0 if the first is not.
std::size_t showable(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return (first >= ' ' || first == '\t') && first != 0x7f ? 1 : 0;
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if (!continues_character(text[i])) return 0;
    // C1 controls: terminals obey them.
    if (first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0) return 0;
    return size;
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

}  // namespace

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
    return {file_, place, shown(reason), known ? shown(lines_[place.line - 1]) : std::string{}};
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
