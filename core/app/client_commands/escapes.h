// Delimiters as a person writes them on a command line.
#pragma once

#include <string>
#include <string_view>

#include "leat/sdk/result.h"

namespace leat::app {

// "\n", "\r", "\t", "\0", "\\" and "\x1f" stand for what they do in C, the rest for itself. At
// least one byte. Errc::invalid_argument names `option`.
sdk::Result<std::string> parse_delimiter(std::string_view option, std::string_view text);

}  // namespace leat::app
