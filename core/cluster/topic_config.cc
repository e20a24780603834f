#include "core/cluster/topic_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace leat::cluster {

using sdk::Errc;
using sdk::Error;
using sdk::Status;

namespace {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    // Kafka's numbers may have a plus, from_chars' may not.
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Calls `visit` with each part of `text` between `separator`s, trimmed; nothing for blank text.
template <class Visit>
void each_part(std::string_view text, char separator, Visit visit) {
    if (trimmed(text).empty()) return;
    for (auto end = text.find(separator); end != std::string_view::npos;
         end = text.find(separator)) {
        visit(trimmed(text.substr(0, end)));
        text.remove_prefix(end + 1);
    }
    visit(trimmed(text));
}

bool is_choice(std::string_view choices, std::string_view word) {
    bool found = false;
    each_part(choices, '|', [&](std::string_view choice) { found = found || choice == word; });
    return found;
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
    if (a.size() != lower.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const char c = a[i] >= 'A' && a[i] <= 'Z' ? static_cast<char>(a[i] - 'A' + 'a') : a[i];
        if (c != lower[i]) return false;
    }
    return true;
}

std::optional<bool> parse_boolean(std::string_view text) {
    if (equal_ignoring_case(trimmed(text), "true")) return true;
    if (equal_ignoring_case(trimmed(text), "false")) return false;
    return std::nullopt;
}

Error invalid(const TopicConfigKey& key, std::string_view value, const std::string& why) {
    return {Errc::invalid_argument, "Invalid value " + std::string{value.substr(0, 200)} +
                                        " for configuration " + std::string{key.name} + ": " + why};
}

std::string in_words(double bound) {
    return std::abs(bound) < 1e15 && bound == std::floor(bound)
               ? std::to_string(static_cast<std::int64_t>(bound))
               : std::to_string(bound);
}

template <class Number>
Status check_number(const TopicConfigKey& key, std::string_view value, const char* kind) {
    const auto number = parse_number<Number>(trimmed(value));
    if (!number) return invalid(key, value, std::string{"Not a "} + kind);
    value = trimmed(value);
    const auto size = static_cast<double>(*number);
    if (!(size >= key.least)) {
        return invalid(key, value, "Value must be at least " + in_words(key.least));
    }
    if (!(size <= key.most)) {
        return invalid(key, value, "Value must be no more than " + in_words(key.most));
    }
    return {};
}

Error not_among(const TopicConfigKey& key, std::string_view value) {
    std::string words;
    each_part(key.choices, '|', [&](std::string_view choice) {
        words.append(words.empty() ? "" : ", ").append(choice);
    });
    return invalid(key, value, "String must be one of: " + words);
}

Status check_list(const TopicConfigKey& key, std::string_view value) {
    if (key.choices.empty()) return {};
    std::optional<std::string_view> wrong;
    each_part(value, ',', [&](std::string_view part) {
        if (!wrong && !is_choice(key.choices, part)) wrong = part;
    });
    if (!wrong) return {};
    if (!wrong->empty()) return not_among(key, *wrong);
    return Error{Errc::invalid_argument,
                 "Configuration '" + std::string{key.name} + "' values must not be empty."};
}

Status check_string(const TopicConfigKey& key, std::string_view value) {
    if (key.choices.empty() || is_choice(key.choices, value)) return {};
    return not_among(key, trimmed(value));
}

Status check_form(const TopicConfigKey& key, std::string_view value) {
    switch (key.type) {
        case ConfigType::boolean:
            if (!parse_boolean(value)) {
                return invalid(key, value, "Expected value to be either true or false");
            }
            return {};
        case ConfigType::int32:
            return check_number<std::int32_t>(key, value, "number of type INT");
        case ConfigType::int16:
            return check_number<std::int16_t>(key, value, "number of type SHORT");
        case ConfigType::int64:
            return check_number<std::int64_t>(key, value, "number of type LONG");
        case ConfigType::float64:
            return check_number<double>(key, value, "number of type DOUBLE");
        case ConfigType::list:
            return check_list(key, value);
        case ConfigType::string:
            return check_string(key, value);
    }
    return invalid(key, value, "Its type is not known");
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// `*`, or partition:broker in each part that is not empty.
bool names_replicas(std::string_view value) {
    if (trimmed(value) == "*") return true;
    bool all = true;
    each_part(value, ',', [&](std::string_view part) {
        const auto colon = std::min(part.find(':'), part.size());
        const bool pair = is_number(part.substr(0, colon)) && colon < part.size() &&
                          is_number(part.substr(colon + 1));
        all = all && (part.empty() || pair);
    });
    return all;
}

// What is no range and no choice.
Status check_special(const TopicConfigKey& key, std::string_view value) {
    if (key.name == "compression.gzip.level") {
        const auto level = parse_number<std::int32_t>(trimmed(value));
        if (level && *level != -1 && (*level < 1 || *level > 9)) {
            return invalid(key, trimmed(value), "Value must be between 1 and 9 or equal to -1");
        }
    }
    if (key.name.ends_with(".throttled.replicas") && !names_replicas(value)) {
        return invalid(key, value,
                       "It must be the literal '*' or a list of replicas in the following format: "
                       "[partitionId]:[brokerId],[partitionId]:[brokerId],...");
    }
    return {};
}

template <class Number>
std::string as_number(std::string_view value) {
    const auto number = parse_number<Number>(trimmed(value));
    return number ? std::to_string(*number) : std::string{value};
}

std::string as_list(std::string_view value) {
    std::vector<std::string_view> parts;
    each_part(value, ',', [&](std::string_view part) {
        if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
    });
    std::string text;
    for (const auto part : parts) text.append(text.empty() ? "" : ",").append(part);
    return text;
}

// The values in force for one topic, by key.
class Resolved {
public:
    Resolved(const TopicConfigs& overrides, const TopicConfigs& defaults)
        : overrides_{overrides}, defaults_{defaults} {}

    template <class Number>
    Number number(std::string_view name) const {
        return parse_number<Number>(trimmed(text(name))).value_or(Number{});
    }
    bool boolean(std::string_view name) const { return parse_boolean(text(name)).value_or(false); }
    bool lists(std::string_view name, std::string_view word) const {
        bool found = false;
        each_part(text(name), ',', [&](std::string_view part) { found = found || part == word; });
        return found;
    }
    std::string_view text(std::string_view name) const {
        for (const auto* layer : {&overrides_, &defaults_}) {
            const auto found = layer->find(name);
            if (found != layer->end() && check_topic_config(name, found->second)) {
                return found->second;
            }
        }
        return find_topic_config(name)->fallback;
    }

private:
    const TopicConfigs& overrides_;
    const TopicConfigs& defaults_;
};

}  // namespace

Status check_topic_config(std::string_view name, std::string_view value) {
    const auto* key = find_topic_config(name);
    if (key == nullptr) {
        return Error{Errc::invalid_argument,
                     "Unknown topic config name: " + std::string{name.substr(0, 200)}};
    }
    return check_config_value(*key, value);
}

Status check_config_value(const TopicConfigKey& key, std::string_view value) {
    if (auto special = check_special(key, value); !special) return special;
    if (auto form = check_form(key, value); !form) return form;
    if (key.effect == ConfigEffect::refused && trimmed(value) != key.fallback) {
        auto refused =
            invalid(key, value, "This broker supports only " + std::string{key.fallback});
        refused.code = Errc::unsupported;
        return refused;
    }
    return {};
}

Status check_topic_configs(const TopicConfigs& overrides) {
    Status ours;
    for (const auto& [name, value] : overrides) {
        auto checked = check_topic_config(name, value);
        if (!checked && checked.error().code != Errc::unsupported) return checked;
        if (!checked && ours) ours = std::move(checked);
    }
    const TopicConfigs no_defaults;  // Resolved only refers to it.
    const Resolved resolved{overrides, no_defaults};
    const auto least = resolved.number<std::int64_t>("min.compaction.lag.ms");
    const auto most = resolved.number<std::int64_t>("max.compaction.lag.ms");
    if (least > most) {
        return Error{Errc::invalid_argument,
                     "conflict topic config setting min.compaction.lag.ms (" +
                         std::to_string(least) + ") > max.compaction.lag.ms (" +
                         std::to_string(most) + ")"};
    }
    return ours;
}

TopicConfig resolve_topic_config(const TopicConfigs& overrides, const TopicConfigs& defaults) {
    const Resolved from{overrides, defaults};
    TopicConfig made;
    made.max_message_bytes = from.number<std::int32_t>("max.message.bytes");
    made.segment_bytes = from.number<std::int32_t>("segment.bytes");
    made.segment_ms = std::chrono::milliseconds{from.number<std::int64_t>("segment.ms")};
    made.segment_index_bytes = from.number<std::int32_t>("segment.index.bytes");
    made.index_interval_bytes = from.number<std::int32_t>("index.interval.bytes");
    made.timestamp_type = from.text("message.timestamp.type") == "LogAppendTime"
                              ? TimestampType::log_append_time
                              : TimestampType::create_time;
    made.timestamp_before_max_ms = from.number<std::int64_t>("message.timestamp.before.max.ms");
    made.timestamp_after_max_ms = from.number<std::int64_t>("message.timestamp.after.max.ms");
    made.cleanup_delete = from.lists("cleanup.policy", "delete");
    made.cleanup_compact = from.lists("cleanup.policy", "compact");
    made.min_cleanable_dirty_ratio = from.number<double>("min.cleanable.dirty.ratio");
    made.delete_retention_ms = from.number<std::int64_t>("delete.retention.ms");
    made.min_compaction_lag_ms = from.number<std::int64_t>("min.compaction.lag.ms");
    made.max_compaction_lag_ms = from.number<std::int64_t>("max.compaction.lag.ms");
    made.retention_ms = from.number<std::int64_t>("retention.ms");
    made.retention_bytes = from.number<std::int64_t>("retention.bytes");
    made.min_in_sync = from.number<std::int32_t>("min.insync.replicas");
    made.unclean_leader_election = from.boolean("unclean.leader.election.enable");
    made.flush_messages = from.number<std::int64_t>("flush.messages");
    made.flush_ms = from.number<std::int64_t>("flush.ms");
    made.validate_records = made.cleanup_compact || from.text("leat.validation") == "full";
    return made;
}

std::string as_understood(ConfigType type, std::string_view value) {
    switch (type) {
        case ConfigType::boolean:
            if (const auto flag = parse_boolean(value)) return *flag ? "true" : "false";
            return std::string{value};
        case ConfigType::int32:
        case ConfigType::int16:
        case ConfigType::int64:
            return as_number<std::int64_t>(value);
        case ConfigType::list:
            return as_list(value);
        case ConfigType::float64:
        case ConfigType::string:
            return std::string{value};
    }
    return std::string{value};
}

}  // namespace leat::cluster
