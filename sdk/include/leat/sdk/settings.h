// A plugin declares its options; the host checks the operator's table against the declaration and
// hands the plugin a Settings in which every declared option has a value of the declared kind, in
// range. An undeclared key, a wrong kind or a value out of range never reaches a plugin.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "leat/sdk/ensure.h"

namespace leat::sdk {

// `size` is in bytes ("64MiB" in TOML), `duration` in milliseconds ("30s" in TOML).
enum class OptionKind { text, boolean, integer, size, duration };

using OptionValue = std::variant<std::string, bool, std::int64_t>;

struct Option {
    std::string name;  // snake_case; `plugin` is reserved for the host.
    OptionKind kind = OptionKind::text;
    OptionValue fallback;       // The default. Text: std::string; boolean: bool; else std::int64_t.
    std::string description;    // One line.
    std::int64_t least = INT64_MIN;  // For numbers, inclusive.
    std::int64_t most = INT64_MAX;
    std::string choices{};  // For text: allowed values separated by '|'; empty allows any.
};

class Settings {
public:
    Settings() = default;
    explicit Settings(std::map<std::string, OptionValue, std::less<>> values)
        : values_{std::move(values)} {}

    const std::string& text(std::string_view name) const { return get<std::string>(name); }
    bool boolean(std::string_view name) const { return get<bool>(name); }
    std::int64_t integer(std::string_view name) const { return get<std::int64_t>(name); }
    std::uint64_t bytes(std::string_view name) const {
        return static_cast<std::uint64_t>(get<std::int64_t>(name));
    }
    std::chrono::milliseconds duration(std::string_view name) const {
        return std::chrono::milliseconds{get<std::int64_t>(name)};
    }

private:
    template <class T>
    const T& get(std::string_view name) const {
        const auto found = values_.find(name);
        ensure(found != values_.end(), "a plugin reads only options that it declared");
        const T* value = std::get_if<T>(&found->second);
        ensure(value != nullptr, "a plugin reads an option as the kind that it declared");
        return *value;
    }

    std::map<std::string, OptionValue, std::less<>> values_;
};

}  // namespace leat::sdk
