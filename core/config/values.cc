#include "core/config/values.h"

#include <algorithm>
#include <charconv>

#include "core/config/nearest.h"

namespace leat::config {

namespace {

// What stands in the file, for a sentence that says that something else must. Never what `${...}`
// holds: it may be a secret.
std::string given(const Node& node, const std::string& text) {
    return node.written.empty() ? text : "what \"" + node.written + "\" holds";
}

std::string must(std::string_view name, std::string_view what, const Node& node) {
    return "`" + std::string{name} + "` must be " + std::string{what} + ", not " +
           given(node, std::string{kind_of(node)});
}

std::string must_be_other(std::string_view name, std::string_view what, const Node& node,
                          const std::string& text) {
    return "`" + std::string{name} + "` must be " + std::string{what} + ", not " +
           given(node, "\"" + text + "\"");
}

bool unknown(const Node& node) {
    return std::holds_alternative<Unknown>(node.value);
}

// A number, also as text that came in the place of `${...}`: TOML has no other way to write it.
std::optional<std::int64_t> number_in(const Node& node) {
    if (const auto* number = std::get_if<std::int64_t>(&node.value)) return *number;
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr || node.written.empty()) return std::nullopt;
    std::int64_t number = 0;
    const char* end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data(), end, number);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return number;
}

std::string shown(std::int64_t value) {
    return std::to_string(value);
}
std::string shown_size(std::int64_t value) {
    return text_of(Size{static_cast<std::uint64_t>(value)});
}
std::string shown_duration(std::int64_t value) {
    return text_of(std::chrono::milliseconds{value});
}

Reason check_range(const Node& node, std::string_view name, const Rules& rules, std::int64_t value,
                   std::string (*show)(std::int64_t)) {
    if (value >= rules.least && value <= rules.most) return std::nullopt;
    const std::string subject = "`" + std::string{name} + "` must be ";
    const std::string instead = ", not " + given(node, show(value));
    if (rules.most == INT64_MAX) return subject + "at least " + show(rules.least) + instead;
    if (rules.least == INT64_MIN) return subject + "at most " + show(rules.most) + instead;
    return subject + show(rules.least) + " to " + show(rules.most) + instead;
}

// Numbers without a unit are bytes; a duration without one could be anything.
Reason read_size(const Node& node, std::string_view name, const Rules& rules, std::int64_t& out) {
    constexpr std::string_view wanted = "a size such as \"64MiB\" (B, KiB, MiB, GiB, TiB)";
    if (unknown(node)) return std::nullopt;
    if (const auto number = number_in(node)) {
        if (*number < 0) return must(name, wanted, node);
        out = *number;
    } else if (const auto* text = std::get_if<std::string>(&node.value)) {
        const auto size = parse_size(*text);
        if (!size) return must_be_other(name, wanted, node, *text);
        out = static_cast<std::int64_t>(size->bytes);
    } else {
        return must(name, wanted, node);
    }
    return check_range(node, name, rules, out, shown_size);
}

Reason read_duration(const Node& node, std::string_view name, const Rules& rules,
                     std::int64_t& out) {
    constexpr std::string_view wanted = "a duration such as \"30s\" (ms, s, min, h, d)";
    if (unknown(node)) return std::nullopt;
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return must(name, wanted, node);
    const auto duration = parse_duration(*text);
    if (!duration) return must_be_other(name, wanted, node, *text);
    out = duration->count();
    return check_range(node, name, rules, out, shown_duration);
}

template <class Item>
Reason read_array(const Node& node, std::string_view name, std::string_view what,
                  const Rules& rules, std::vector<Item>& out) {
    const Array* array = node.array();
    if (array == nullptr) return must(name, what, node);
    std::vector<Item> items;
    for (const Node& item : array->items)
        if (auto reason = read(item, name, rules, items.emplace_back())) return reason;
    out = std::move(items);
    return std::nullopt;
}

template <class Item>
std::string text_of_array(const std::vector<Item>& items) {
    std::string text = "[";
    for (const Item& item : items) text += (text.size() > 1 ? ", " : "") + text_of(item);
    return text + "]";
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
    if (unknown(node)) return std::nullopt;
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return must(name, "a string", node);
    const auto choices = split_choices(rules.choices);
    if (!choices.empty() && std::find(choices.begin(), choices.end(), *text) == choices.end()) {
        std::string wanted;
        for (const std::string& choice : choices)
            wanted += (wanted.empty() ? "\"" : ", \"") + choice + "\"";
        return must_be_other(name, "one of " + wanted, node, *text) +
               (node.written.empty() ? did_you_mean(*text, choices) : "");
    }
    out = *text;
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules&, bool& out) {
    if (unknown(node)) return std::nullopt;
    const auto* boolean = std::get_if<bool>(&node.value);
    const auto* text = std::get_if<std::string>(&node.value);
    const bool put_in = text != nullptr && !node.written.empty();  // As in number_in().
    if (put_in && (*text == "true" || *text == "false")) {
        out = *text == "true";
        return std::nullopt;
    }
    if (boolean == nullptr) return must(name, "true or false", node);
    out = *boolean;
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules& rules, std::int64_t& out) {
    if (unknown(node)) return std::nullopt;
    const auto number = number_in(node);
    if (!number) return must(name, "a whole number", node);
    out = *number;
    return check_range(node, name, rules, out, shown);
}

Reason read(const Node& node, std::string_view name, const Rules& rules, std::int32_t& out) {
    std::int64_t number = out;
    const Rules narrow{std::max<std::int64_t>(rules.least, INT32_MIN),
                       std::min<std::int64_t>(rules.most, INT32_MAX),
                       {}};
    if (auto reason = read(node, name, narrow, number)) return reason;
    out = static_cast<std::int32_t>(number);
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules& rules, Size& out) {
    auto bytes = static_cast<std::int64_t>(out.bytes);
    if (auto reason = read_size(node, name, rules, bytes)) return reason;
    out = Size{static_cast<std::uint64_t>(bytes)};
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules& rules,
            std::chrono::milliseconds& out) {
    std::int64_t ms = out.count();
    if (auto reason = read_duration(node, name, rules, ms)) return reason;
    out = std::chrono::milliseconds{ms};
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules&, std::filesystem::path& out) {
    if (unknown(node)) return std::nullopt;
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return must(name, "a path", node);
    if (text->find('\0') != std::string::npos)
        return "`" + std::string{name} + "` must be a path without a zero character";
    out = *text;
    return std::nullopt;
}

Reason read(const Node& node, std::string_view name, const Rules& rules,
            std::vector<std::filesystem::path>& out) {
    return read_array(node, name, "an array of paths", rules, out);
}

Reason read(const Node& node, std::string_view name, const Rules& rules,
            std::vector<std::string>& out) {
    return read_array(node, name, "an array of strings", rules, out);
}

Reason read(const Node& node, std::string_view name, const Rules&, FlushRule& out) {
    if (unknown(node)) return std::nullopt;
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
        return must_be_other(name, wanted, node, *text);
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

std::string text_of(const std::string& value) {
    return "\"" + value + "\"";
}
std::string text_of(bool value) {
    return value ? "true" : "false";
}
std::string text_of(std::int64_t value) {
    return std::to_string(value);
}
std::string text_of(std::int32_t value) {
    return std::to_string(value);
}
std::string text_of(const std::filesystem::path& value) {
    return text_of(value.string());
}
std::string text_of(const std::vector<std::filesystem::path>& value) {
    return text_of_array(value);
}
std::string text_of(const std::vector<std::string>& value) {
    return text_of_array(value);
}
std::string text_of(const FlushRule& value) {
    if (value.when == FlushRule::When::none) return "\"none\"";
    if (value.when == FlushRule::When::each) return "\"each\"";
    return "\"" + text_of(value.interval) + "\"";
}

}  // namespace leat::config
