#include "core/config/values.h"

#include <algorithm>

#include "core/config/nearest.h"

namespace leat::config {

namespace {

std::string must(std::string_view name, std::string_view what, const Node& node) {
    return "`" + std::string{name} + "` must be " + std::string{what} + ", not " +
           std::string{kind_of(node)};
}

std::string shown(std::int64_t value) { return std::to_string(value); }
std::string shown_size(std::int64_t value) {
    return text_of(Size{static_cast<std::uint64_t>(value)});
}
std::string shown_duration(std::int64_t value) {
    return text_of(std::chrono::milliseconds{value});
}

Reason check_range(std::string_view name, const Rules& rules, std::int64_t value,
                   std::string (*show)(std::int64_t)) {
    if (value >= rules.least && value <= rules.most) return std::nullopt;
    const std::string subject = "`" + std::string{name} + "` must be ";
    const std::string given = ", not " + show(value);
    if (rules.most == INT64_MAX) return subject + "at least " + show(rules.least) + given;
    if (rules.least == INT64_MIN) return subject + "at most " + show(rules.most) + given;
    return subject + show(rules.least) + " to " + show(rules.most) + given;
}

// Numbers without a unit are bytes; a duration without one could be anything.
Reason read_size(const Node& node, std::string_view name, const Rules& rules, std::int64_t& out) {
    constexpr std::string_view wanted = "a size such as \"64MiB\" (B, KiB, MiB, GiB, TiB)";
    std::optional<Size> size;
    if (const auto* text = std::get_if<std::string>(&node.value)) {
        size = parse_size(*text);
        if (!size)
            return "`" + std::string{name} + "` must be " + std::string{wanted} + ", not \"" +
                   *text + "\"";
    } else {
        const auto* number = std::get_if<std::int64_t>(&node.value);
        if (number == nullptr || *number < 0) return must(name, wanted, node);
        size = Size{static_cast<std::uint64_t>(*number)};
    }
    out = static_cast<std::int64_t>(size->bytes);
    return check_range(name, rules, out, shown_size);
}

Reason read_duration(const Node& node, std::string_view name, const Rules& rules,
                     std::int64_t& out) {
    constexpr std::string_view wanted = "a duration such as \"30s\" (ms, s, min, h, d)";
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return must(name, wanted, node);
    const auto duration = parse_duration(*text);
    if (!duration)
        return "`" + std::string{name} + "` must be " + std::string{wanted} + ", not \"" + *text +
               "\"";
    out = duration->count();
    return check_range(name, rules, out, shown_duration);
}

}  // namespace

std::vector<std::string> split_choices(std::string_view choices) {
    std::vector<std::string> out;
    while (!choices.empty()) {
        const std::size_t end = choices.find('|');
        out.emplace_back(choices.substr(0, end));
        choices.remove_prefix(end == std::string_view::npos ? choices.size() : end + 1);
    }
    return out;
}

Reason read(const Node& node, std::string_view name, const Rules& rules, std::string& out) {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return must(name, "a string", node);
    const auto choices = split_choices(rules.choices);
    if (!choices.empty() && std::find(choices.begin(), choices.end(), *text) == choices.end()) {
        std::string wanted;
        for (const std::string& choice : choices)
            wanted += (wanted.empty() ? "\"" : ", \"") + choice + "\"";
        return "`" + std::string{name} + "` must be one of " + wanted + ", not \"" + *text + "\"" +
               did_you_mean(*text, choices);
    }
    out = *text;
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules&, bool& out) {
    const auto* boolean = std::get_if<bool>(&node.value);
    if (boolean == nullptr) return must(name, "true or false", node);
    out = *boolean;
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules& rules, std::int64_t& out) {
    const auto* number = std::get_if<std::int64_t>(&node.value);
    if (number == nullptr) return must(name, "a whole number", node);
    out = *number;
    return check_range(name, rules, out, shown);
}

Reason read(const Node& node, std::string_view name, const Rules& rules, std::int32_t& out) {
    std::int64_t number = 0;
    const Rules narrow{std::max<std::int64_t>(rules.least, INT32_MIN),
                       std::min<std::int64_t>(rules.most, INT32_MAX), {}};
    if (auto reason = read(node, name, narrow, number)) return reason;
    out = static_cast<std::int32_t>(number);
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules& rules, Size& out) {
    std::int64_t bytes = 0;
    if (auto reason = read_size(node, name, rules, bytes)) return reason;
    out = Size{static_cast<std::uint64_t>(bytes)};
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules& rules,
            std::chrono::milliseconds& out) {
    std::int64_t ms = 0;
    if (auto reason = read_duration(node, name, rules, ms)) return reason;
    out = std::chrono::milliseconds{ms};
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules&, std::filesystem::path& out) {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return must(name, "a path", node);
    if (text->find('\0') != std::string::npos)
        return "`" + std::string{name} + "` must be a path without a zero character";
    out = *text;
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules& rules,
            std::vector<std::filesystem::path>& out) {
    const Array* array = node.array();
    if (array == nullptr) return must(name, "an array of paths", node);
    std::vector<std::filesystem::path> paths;
    for (const Node& item : array->items)
        if (auto reason = read(item, name, rules, paths.emplace_back())) return reason;
    out = std::move(paths);
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules&, FlushRule& out) {
    constexpr std::string_view wanted = "\"none\", \"each\" or a duration such as \"1s\"";
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return must(name, wanted, node);
    if (*text == "none") {
        out = {FlushRule::When::none, {}};
    } else if (*text == "each") {
        out = {FlushRule::When::each, {}};
    } else if (const auto interval = parse_duration(*text); interval && interval->count() > 0) {
        out = {FlushRule::When::interval, *interval};
    } else {
        return "`" + std::string{name} + "` must be " + std::string{wanted} + ", not \"" + *text +
               "\"";
    }
    return std::nullopt;
}

Reason read(const Node& node, const sdk::Option& option, sdk::OptionValue& out) {
    const Rules rules{option.least, option.most, option.choices};
    switch (option.kind) {
        case sdk::OptionKind::text:
            return read(node, option.name, rules, out.emplace<std::string>());
        case sdk::OptionKind::boolean:
            return read(node, option.name, rules, out.emplace<bool>());
        case sdk::OptionKind::integer:
            return read(node, option.name, rules, out.emplace<std::int64_t>());
        case sdk::OptionKind::size:
            return read_size(node, option.name, rules, out.emplace<std::int64_t>());
        case sdk::OptionKind::duration:
            return read_duration(node, option.name, rules, out.emplace<std::int64_t>());
    }
    return "`" + option.name + "` is declared with a kind that this broker does not know";
}

std::string text_of(const std::string& value) { return "\"" + value + "\""; }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(std::int32_t value) { return std::to_string(value); }
std::string text_of(const std::filesystem::path& value) { return text_of(value.string()); }
std::string text_of(const std::vector<std::filesystem::path>& value) {
    std::string text = "[";
    for (const auto& path : value) text += (text.size() > 1 ? ", " : "") + text_of(path);
    return text + "]";
}
std::string text_of(const FlushRule& value) {
    if (value.when == FlushRule::When::none) return "\"none\"";
    if (value.when == FlushRule::When::each) return "\"each\"";
    return "\"" + text_of(value.interval) + "\"";
}

}  // namespace leat::config
