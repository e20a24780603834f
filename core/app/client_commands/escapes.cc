#include "core/app/client_commands/escapes.h"

#include <charconv>

namespace leat::app {

sdk::Result<std::string> parse_delimiter(std::string_view option, std::string_view text) {
    static constexpr std::string_view names = "nrt0\\";
    static constexpr std::string_view meanings{"\n\r\t\0\\", 5};
    const sdk::Error wrong{sdk::Errc::invalid_argument,
                           std::string{option} +
                               " takes at least one byte, and \\n, \\r, \\t, "
                               "\\0, \\\\ and \\x and two hex digits, not `" +
                               std::string{text} + "`"};
    std::string bytes;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\') {
            bytes += text[at];
            continue;
        }
        if (++at == text.size()) return wrong;
        if (text[at] == 'x') {
            const auto digits = text.substr(at + 1, 2);
            unsigned value = 0;
            const auto end = digits.data() + digits.size();
            const auto read = std::from_chars(digits.data(), end, value, 16);
            if (digits.size() != 2 || read.ptr != end || read.ec != std::errc{}) return wrong;
            bytes += static_cast<char>(value);
            at += 2;
            continue;
        }
        const auto found = names.find(text[at]);
        if (found == std::string_view::npos) return wrong;
        bytes += meanings[found];
    }
    if (bytes.empty()) return wrong;
    return bytes;
}

}  // namespace leat::app
