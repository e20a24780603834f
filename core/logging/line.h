// How an event becomes one line of text or of JSON. No value can break out of its line, its field
// or the terminal: control characters (C0, DEL, C1) and bytes that are not UTF-8 are escaped, long
// values are cut.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/logging/logger.h"

namespace leat::logging {

inline constexpr std::size_t most_value_bytes = 512;  // Of one value, before escaping.
inline constexpr std::size_t most_line_bytes = 4000;  // Below PIPE_BUF: one write, never torn.

using WallTime = std::chrono::system_clock::time_point;

std::string_view name_of(Level level);

// Without the newline. Fields that would make the line longer than most_line_bytes are left out,
// and `fields_left_out` says how many.
std::string line_of(Format format, WallTime time, Level level, std::string_view event,
                    std::span<const Field> fields);

// `value` as it stands in a text line: as it is, or in quotes where it needs them.
std::string quoted_if_needed(std::string_view value);

}  // namespace leat::logging
