// Base64 with padding (RFC 4648, section 4): bytes that are no text, inside JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leat::app {

std::string to_base64(std::string_view bytes);
// Nothing if it is not that, or says one thing in two ways (bits set beyond the last byte).
std::optional<std::string> from_base64(std::string_view text);

}  // namespace leat::app
