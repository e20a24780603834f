#include "core/app/client_commands/table.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "leat/sdk/ensure.h"

namespace leat::app {
namespace {

// Of UTF-8, by characters: those that are wider or narrower than one are few in such names.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char each) { return (static_cast<unsigned char>(each) & 0xc0U) != 0x80U; }));
}

}  // namespace

std::string shown(std::string_view foreign) {
    std::string text;
    for (const char each : foreign) {
        const auto byte = static_cast<unsigned char>(each);
        if (byte >= 0x20 && byte != 0x7f) {
            text += each;
            continue;
        }
        std::array<char, 5> escaped{};
        std::snprintf(escaped.data(), escaped.size(), "\\x%02x", byte);
        text += escaped.data();
    }
    return text;
}

void Table::add(std::vector<std::string> cells) {
    sdk::ensure(cells.size() == columns_.size(), "a row has a cell for each column");
    for (std::string& each : cells) each = each.empty() ? "-" : shown(each);
    rows_.push_back(std::move(cells));
}

std::string Table::line_of(const std::vector<std::string>& cells,
                           const std::vector<std::size_t>& widths) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string gap(widths[i] - width_of(cells[i]), ' ');
        if (i > 0) line += "  ";
        line += columns_[i].right ? gap + cells[i] : cells[i] + gap;
    }
    line.resize(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string Table::text() const {
    std::vector<std::string> names;
    std::vector<std::size_t> widths;
    for (const Column& each : columns_) {
        names.push_back(each.name);
        widths.push_back(width_of(each.name));
    }
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    }
    std::string text = line_of(names, widths);
    for (const auto& row : rows_) text += line_of(row, widths);
    return text;
}

}  // namespace leat::app
