#include "core/config/source.h"

#include <algorithm>
#include <utility>

namespace leat::config {

namespace {

// Blanks up to `column`, with the tabs of `line`, so that a caret stands below its character.
std::string blanks_to(std::string_view line, std::uint32_t column) {
    std::string blanks;
    std::uint32_t at = 1;
    for (const char c : line) {
        const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
        if (continues) continue;
        if (at++ >= column) break;
        blanks += c == '\t' ? '\t' : ' ';
    }
    return blanks;
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

Complaint Source::complaint(Place place, std::string reason) const {
    const bool known = place.line > 0 && place.line <= lines_.size();
    return {file_, place, std::move(reason), known ? lines_[place.line - 1] : std::string{}};
}

std::string text_of(const Complaint& complaint) {
    const auto& [file, place, reason, line] = complaint;
    if (place.line == 0) return file + ": error: " + reason + "\n";
    std::string text = file + ":" + std::to_string(place.line) + ":" +
                       std::to_string(place.column) + ": error: " + reason + "\n";
    if (!line.empty())
        text += "    " + line + "\n    " + blanks_to(line, place.column) + "^\n";
    return text;
}

std::string text_of(const std::vector<Complaint>& complaints) {
    std::string text;
    for (const Complaint& complaint : complaints) text += text_of(complaint);
    return text;
}

}  // namespace leat::config
