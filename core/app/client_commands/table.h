// A table for people: columns as wide as what is in them, two blanks between.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::app {

// What others chose (client ids, groups) as a terminal may be shown it: control characters as \xNN.
std::string shown(std::string_view foreign);

class Table {
public:
    struct Column {
        std::string name;
        bool right = false;  // Numbers.
    };
    explicit Table(std::vector<Column> columns) : columns_{std::move(columns)} {}

    // A cell for each column; an empty one is shown as "-".
    void add(std::vector<std::string> cells);

    // A line for the names and one for each row; no blanks at their ends.
    std::string text() const;

private:
    std::string line_of(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace leat::app
