#include "core/config/reference.h"

#include "core/config/sections.h"

namespace leat::config {

namespace {

std::string shown(const auto& value) { return text_of(value); }
std::string shown(Size value) { return "\"" + text_of(value) + "\""; }
std::string shown(std::chrono::milliseconds value) { return "\"" + text_of(value) + "\""; }

template <class Member>
std::string range_of(const Rules& rules, const Member&) {
    if (!rules.choices.empty()) {
        std::string text;
        for (const std::string& choice : split_choices(rules.choices))
            text += (text.empty() ? "" : " | ") + choice;
        return text;
    }
    if (rules.least == INT64_MIN && rules.most == INT64_MAX) return {};
    const auto number = [](std::int64_t n) {
        if constexpr (std::is_same_v<Member, Size>) {
            return text_of(Size{static_cast<std::uint64_t>(n)});
        } else if constexpr (std::is_same_v<Member, std::chrono::milliseconds>) {
            return text_of(std::chrono::milliseconds{n});
        } else {
            return std::to_string(n);
        }
    };
    return number(rules.least) + " to " + number(rules.most);
}

template <class Section>
SectionReference reference_of() {
    const Section defaults;
    SectionReference out;
    if (!Section::table.empty()) out.table = "[" + std::string{Section::table} + "]";
    out.description = Section::description;
    std::apply(
        [&](const auto&... keys) {
            (out.keys.push_back({std::string{keys.name}, shown(defaults.*keys.member),
                                 range_of(keys.rules, defaults.*keys.member),
                                 std::string{keys.description}}),
             ...);
        },
        Section::keys);
    return out;
}

}  // namespace

std::vector<SectionReference> reference() {
    return {reference_of<NodeSection>(),    reference_of<ListenerSection>(),
            reference_of<PluginsSection>(), reference_of<TopicSection>(),
            reference_of<InternalTopicsSection>(), reference_of<LimitsSection>(),
            reference_of<NetworkSection>(), reference_of<ProducersSection>(),
            reference_of<RetentionSection>(), reference_of<LogSection>()};
}

}  // namespace leat::config
