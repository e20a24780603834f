#include "core/groups/topic_pattern.h"

#include <re2/re2.h>

#include <string>
#include <utility>

#include "core/groups/group_limits.h"

namespace leat::groups {
namespace {

sdk::Error refuse(std::string why) {
    return {sdk::Errc::invalid_argument, std::move(why)};
}

// The library names what is wrong and, where it has one, the piece of the pattern.
std::string what_is_wrong(const re2::RE2& compiled) {
    if (compiled.error_code() == re2::RE2::ErrorPatternTooLarge) {
        return "it takes more than " + std::to_string(most_pattern_bytes) + " bytes when compiled";
    }
    return compiled.error();
}

}  // namespace

sdk::Result<TopicPattern> TopicPattern::compile(std::string_view pattern) {
    if (pattern.size() > most_string_bytes) {
        return refuse("it is longer than " + std::to_string(most_string_bytes) + " bytes");
    }
    re2::RE2::Options options;
    options.set_log_errors(false);  // They are the client's, and told to it.
    options.set_never_capture(true);
    options.set_max_mem(most_pattern_bytes);
    auto compiled =
        std::make_unique<re2::RE2>(re2::StringPiece{pattern.data(), pattern.size()}, options);
    if (!compiled->ok()) return refuse(what_is_wrong(*compiled));
    return TopicPattern{std::move(compiled)};
}

TopicPattern::TopicPattern(std::unique_ptr<re2::RE2> compiled) : compiled_{std::move(compiled)} {}
TopicPattern::TopicPattern(TopicPattern&&) noexcept = default;
TopicPattern& TopicPattern::operator=(TopicPattern&&) noexcept = default;
TopicPattern::~TopicPattern() = default;

bool TopicPattern::matches(std::string_view topic) const {
    return re2::RE2::FullMatch(re2::StringPiece{topic.data(), topic.size()}, *compiled_);
}

}  // namespace leat::groups
