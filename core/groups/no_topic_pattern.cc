// In the place of topic_pattern.cc in a program without consumer groups (LEAT_CONSUMER_GROUPS),
// which does without RE2: no pattern compiles.
#include <utility>

#include "core/groups/topic_pattern.h"

namespace re2 {
class RE2 {};
}  // namespace re2

namespace leat::groups {

sdk::Result<TopicPattern> TopicPattern::compile(std::string_view) {
    return sdk::Error{sdk::Errc::unsupported, "this program has no consumer groups"};
}

TopicPattern::TopicPattern(std::unique_ptr<re2::RE2> compiled) : compiled_{std::move(compiled)} {}
TopicPattern::TopicPattern(TopicPattern&&) noexcept = default;
TopicPattern& TopicPattern::operator=(TopicPattern&&) noexcept = default;
TopicPattern::~TopicPattern() = default;

bool TopicPattern::matches(std::string_view) const {
    return false;
}

}  // namespace leat::groups
