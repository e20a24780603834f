#include <charconv>

#include "core/config/config.h"

namespace leat::config {

std::optional<sdk::Endpoint> parse_endpoint(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const char* end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, port);
    if (error != std::errc{} || rest != end) return std::nullopt;
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    if (host.find_first_of("[] /\t\n") != std::string_view::npos) return std::nullopt;
    if (!bracketed && host.find(':') != std::string_view::npos) return std::nullopt;
    return sdk::Endpoint{std::string{host}, port};
}

bool matches(std::string_view pattern, std::string_view name) {
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;  // The last one, and where it began to match.
    std::size_t began = 0;
    while (t < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            began = t;
        } else if (p < pattern.size() && pattern[p] == name[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++began;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

const TopicSettings& Config::settings_for(std::string_view topic) const {
    for (const TopicTemplate& candidate : topics)
        if (matches(candidate.pattern, topic)) return candidate.settings;
    return topic_defaults;
}

std::string Config::assignor_for(std::string_view group) const {
    for (const GroupPattern& candidate : groups)
        if (matches(candidate.pattern, group)) return candidate.assignor;
    return {};
}

}  // namespace leat::config
