#include "core/config/units.h"

#include <charconv>
#include <span>

namespace leat::config {

namespace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

constexpr Unit size_units[] = {{"TiB", 1ll << 40}, {"GiB", 1ll << 30}, {"MiB", 1ll << 20},
                               {"KiB", 1ll << 10}, {"B", 1}};
constexpr Unit duration_units[] = {
    {"d", 86'400'000}, {"h", 3'600'000}, {"min", 60'000}, {"s", 1000}, {"ms", 1}};

std::optional<std::int64_t> parse(std::string_view text, std::span<const Unit> units) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || number < 0) return std::nullopt;
    std::string_view name{rest, static_cast<std::size_t>(end - rest)};
    while (name.starts_with(' ')) name.remove_prefix(1);
    for (const Unit& unit : units) {
        std::int64_t product = 0;
        if (name == unit.name && !__builtin_mul_overflow(number, unit.factor, &product))
            return product;
    }
    return std::nullopt;
}

std::string text(std::int64_t number, std::span<const Unit> units) {
    for (const Unit& unit : units)
        if (number % unit.factor == 0 && (number != 0 || unit.factor == 1))
            return std::to_string(number / unit.factor) + std::string{unit.name};
    return std::to_string(number);
}

}  // namespace

std::optional<Size> parse_size(std::string_view text) {
    const auto bytes = parse(text, size_units);
    if (!bytes) return std::nullopt;
    return Size{static_cast<std::uint64_t>(*bytes)};
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    const auto ms = parse(text, duration_units);
    if (!ms) return std::nullopt;
    return std::chrono::milliseconds{*ms};
}

std::string text_of(Size size) { return text(static_cast<std::int64_t>(size.bytes), size_units); }
std::string text_of(std::chrono::milliseconds duration) {
    return text(duration.count(), duration_units);
}

}  // namespace leat::config
