#include "core/config/reference.h"

#include "core/config/group_sections.h"
#include "core/config/sections.h"

namespace leat::config {

namespace {

constexpr std::string_view size_units = "B, KiB, MiB, GiB, TiB; a number without one is bytes";
constexpr std::string_view duration_units = "ms, s, min, h, d";

std::string shown(const auto& value) {
    return text_of(value);
}
std::string shown(Size value) {
    return "\"" + text_of(value) + "\"";
}
std::string shown(std::chrono::milliseconds value) {
    return "\"" + text_of(value) + "\"";
}

void describe(KeyReference& out, const std::string&) {
    out.type = "text";
}
void describe(KeyReference& out, bool) {
    out.type = "boolean";
}
void describe(KeyReference& out, std::int32_t) {
    out.type = "integer";
}
void describe(KeyReference& out, std::int64_t) {
    out.type = "integer";
}
void describe(KeyReference& out, const std::filesystem::path&) {
    out.type = "path";
}
void describe(KeyReference& out, const std::vector<std::filesystem::path>&) {
    out.type = "list of paths";
}
void describe(KeyReference& out, const std::vector<std::string>&) {
    out.type = "list of texts";
}
void describe(KeyReference& out, Size) {
    out.type = "size";
    out.unit = size_units;
}
void describe(KeyReference& out, std::chrono::milliseconds) {
    out.type = "duration";
    out.unit = duration_units;
}
void describe(KeyReference& out, const FlushRule&) {
    out.type = "text or duration";
    out.unit = duration_units;
    out.range = "\"none\" | \"each\" | a duration";
}

template <class Member>
std::string bound(std::int64_t number, const Member&) {
    if constexpr (std::is_same_v<Member, Size>) {
        return shown(Size{static_cast<std::uint64_t>(number)});
    } else if constexpr (std::is_same_v<Member, std::chrono::milliseconds>) {
        return shown(std::chrono::milliseconds{number});
    } else {
        return std::to_string(number);
    }
}

template <class Member>
std::string range_of(const Rules& rules, const Member& member) {
    std::string choices;
    for (const std::string& choice : split_choices(rules.choices))
        choices += (choices.empty() ? "" : " | ") + choice;
    if (!choices.empty()) return choices;
    if constexpr (std::is_same_v<Member, bool>) return "true | false";
    const bool low = rules.least != INT64_MIN;
    const bool high = rules.most != INT64_MAX;
    if (low && high) return bound(rules.least, member) + " to " + bound(rules.most, member);
    if (low) return "at least " + bound(rules.least, member);
    if (high) return "at most " + bound(rules.most, member);
    return {};
}

template <class Member>
KeyReference reference_of(std::string_view name, std::string_view description, const Rules& rules,
                          const Member& fallback) {
    KeyReference made;
    made.name = name;
    made.description = description;
    describe(made, fallback);
    made.fallback = shown(fallback);
    made.example = made.fallback;
    if (auto range = range_of(rules, fallback); !range.empty()) made.range = std::move(range);
    return made;
}

template <class Section>
SectionReference reference_of() {
    const Section defaults;
    SectionReference out;
    if (!Section::table.empty()) out.table = "[" + std::string{Section::table} + "]";
    out.description = Section::description;
    const auto add = [&](const auto& key) {
        auto made = reference_of(key.name, key.description, key.rules, defaults.*key.member);
        if (!key.sample.empty()) made.example = key.sample;
        if (key.required) made.fallback.clear();
        out.keys.push_back(std::move(made));
    };
    std::apply([&](const auto&... keys) { (add(keys), ...); }, Section::keys);
    return out;
}

}  // namespace

std::vector<SectionReference> reference() {
    return {reference_of<NodeSection>(),         reference_of<ListenerSection>(),
            reference_of<PluginsSection>(),      reference_of<StorageSection>(),
            reference_of<CoordinationSection>(), reference_of<ReplicationSection>(),
            reference_of<AssignmentSection>(),   reference_of<GroupsSection>(),
            reference_of<TopicSection>(),        reference_of<InternalTopicsSection>(),
            reference_of<LimitsSection>(),       reference_of<NetworkSection>(),
            reference_of<ProducersSection>(),    reference_of<RetentionSection>(),
            reference_of<CompactionSection>(),   reference_of<GroupCoordinatorSection>(),
            reference_of<HttpSection>(),         reference_of<LogSection>()};
}

KeyReference reference_of(const sdk::Option& option) {
    const Rules rules{option.least, option.most, option.choices};
    const auto made = [&](const auto& fallback) {
        return reference_of(option.name, option.description, rules, fallback);
    };
    // A declaration is a plugin's: its default may be of another kind than it says.
    const auto* text = std::get_if<std::string>(&option.fallback);
    const auto* boolean = std::get_if<bool>(&option.fallback);
    const auto* number = std::get_if<std::int64_t>(&option.fallback);
    const std::int64_t count = number == nullptr ? 0 : *number;
    switch (option.kind) {
        case sdk::OptionKind::text:
            return made(text == nullptr ? std::string{} : *text);
        case sdk::OptionKind::boolean:
            return made(boolean != nullptr && *boolean);
        case sdk::OptionKind::integer:
            return made(count);
        case sdk::OptionKind::size:
            return made(Size{static_cast<std::uint64_t>(count)});
        case sdk::OptionKind::duration:
            return made(std::chrono::milliseconds{count});
    }
    return {};
}

}  // namespace leat::config
