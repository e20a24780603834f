// From a node of the file to a value of the wanted type, or the sentence that says why not. What a
// section of ours and an option of a plugin go through alike.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/node.h"
#include "core/config/units.h"
#include "leat/sdk/settings.h"

namespace leat::config {

struct Rules {
    std::int64_t least = INT64_MIN;  // For numbers, sizes (bytes), durations (milliseconds).
    std::int64_t most = INT64_MAX;
    std::string_view choices{};  // For text: separated by '|'; empty allows any.
};

// When something becomes durable: never by our doing, before each answer, or every so often.
struct FlushRule {
    enum class When { none, each, interval };
    When when = When::none;
    std::chrono::milliseconds interval{0};

    bool operator==(const FlushRule&) const = default;
};

// Each sets `out`, or returns the reason, which begins with the quoted `name`.
using Reason = std::optional<std::string>;
Reason read(const Node& node, std::string_view name, const Rules& rules, std::string& out);
Reason read(const Node& node, std::string_view name, const Rules& rules, bool& out);
Reason read(const Node& node, std::string_view name, const Rules& rules, std::int64_t& out);
Reason read(const Node& node, std::string_view name, const Rules& rules, std::int32_t& out);
Reason read(const Node& node, std::string_view name, const Rules& rules, Size& out);
Reason read(const Node& node, std::string_view name, const Rules& rules,
            std::chrono::milliseconds& out);
Reason read(const Node& node, std::string_view name, const Rules& rules,
            std::filesystem::path& out);
Reason read(const Node& node, std::string_view name, const Rules& rules,
            std::vector<std::filesystem::path>& out);
Reason read(const Node& node, std::string_view name, const Rules& rules,
            std::vector<std::string>& out);
Reason read(const Node& node, std::string_view name, const Rules& rules, FlushRule& out);

// An option of a plugin, checked against its declaration.
Reason read(const Node& node, const sdk::Option& option, sdk::OptionValue& out);

// As it would stand in the file.
std::string text_of(const std::string& value);
std::string text_of(bool value);
std::string text_of(std::int64_t value);
std::string text_of(std::int32_t value);
std::string text_of(const std::filesystem::path& value);
std::string text_of(const std::vector<std::filesystem::path>& value);
std::string text_of(const std::vector<std::string>& value);
std::string text_of(const FlushRule& value);

std::vector<std::string> split_choices(std::string_view choices);

}  // namespace leat::config
