// Sizes ("64MiB") and durations ("30s") as they stand in configuration files.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::config {

struct Size {
    std::uint64_t bytes = 0;

    auto operator<=>(const Size&) const = default;
};

// A whole number and B, KiB, MiB, GiB or TiB. Nothing if it is something else or too large.
std::optional<Size> parse_size(std::string_view text);
// A whole number and ms, s, min, h or d.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

std::string text_of(Size size);  // In the largest unit that divides it.
std::string text_of(std::chrono::milliseconds duration);

}  // namespace leat::config
