#include "core/groups/consumer_requests.h"

#include <algorithm>

#include "core/groups/topic_pattern.h"

namespace leat::groups {
namespace {

using Error = wire::ErrorCode;
using Request = wire::ConsumerGroupHeartbeatRequest;

Refusal invalid(std::string why) {
    return {Error::invalid_request, std::move(why)};
}

std::optional<Refusal> wrong_in_joining(const Request& request) {
    if (request.rebalance_timeout_ms == -1) return invalid("A member that joins gives its time.");
    if (!request.topic_partitions || !request.topic_partitions->empty())
        return invalid("A member that joins owns no partitions.");
    if (!request.subscribed_topic_names && !request.subscribed_topic_regex)
        return invalid("A member that joins says what it subscribes to.");
    return std::nullopt;
}

std::optional<Refusal> wrong_with_epoch(const Request& request) {
    if (request.member_epoch < leaves_for_a_while) return invalid("There is no such epoch.");
    if (request.member_epoch == joins) return wrong_in_joining(request);
    if (request.member_id.empty()) return invalid("The member id is empty.");
    if (request.member_epoch == leaves_for_a_while && !request.instance_id)
        return invalid("Only a static member leaves for a while.");
    return std::nullopt;
}

// The member's record must fit a batch, and its strings must be such as Kafka reads.
std::optional<Refusal> wrong_with_size(const Request& request, const GroupLimits& limits) {
    const auto too_long = [](const std::optional<std::string>& text) {
        return text && text->size() > most_string_bytes;
    };
    std::size_t bytes = request.subscribed_topic_regex.value_or("").size();
    bool long_name = false;
    for (const std::string& name :
         request.subscribed_topic_names.value_or(std::vector<std::string>{})) {
        bytes += name.size() + 4;
        long_name = long_name || name.size() > most_string_bytes;
    }
    if (long_name || request.group_id.size() > most_string_bytes ||
        request.member_id.size() > most_string_bytes || too_long(request.rack_id) ||
        too_long(request.server_assignor) ||
        request.instance_id.value_or("").size() > most_instance_id_bytes) {
        return invalid("A string is too long.");
    }
    // Half of it, for ids and other fields need room as well.
    if (bytes > limits.most_record_bytes / 2) return invalid("The subscription is too large.");
    return std::nullopt;
}

std::optional<Refusal> wrong_with_choices(const Request& request, const GroupLimits& limits) {
    const auto& known = limits.consumer_assignors;
    if (request.server_assignor && !std::ranges::count(known, *request.server_assignor)) {
        std::string names;
        for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
        return Refusal{
            Error::unsupported_assignor,
            "There is no assignor " + *request.server_assignor + " to choose, but " + names + "."};
    }
    const std::string pattern = request.subscribed_topic_regex.value_or("");
    if (pattern.empty()) return std::nullopt;
    if (const auto compiled = TopicPattern::compile(pattern); !compiled) {
        return Refusal{Error::invalid_regular_expression,
                       "`" + pattern + "` is no regular expression: " + compiled.error().what};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Refusal> wrong_with(const Request& request, wire::Version version,
                                  const GroupLimits& limits) {
    if (std::ranges::all_of(request.group_id, [](char c) { return c == ' ' || c == '\t'; }))
        return invalid("The group id is empty.");
    if (request.instance_id && request.instance_id->empty())
        return invalid("The instance id is empty.");
    if (request.rack_id && request.rack_id->empty()) return invalid("The rack is empty.");
    if (version >= 1 && request.member_id.empty()) return invalid("The member id is empty.");
    if (auto wrong = wrong_with_epoch(request)) return wrong;
    if (auto wrong = wrong_with_size(request, limits)) return wrong;
    return wrong_with_choices(request, limits);
}

}  // namespace leat::groups
