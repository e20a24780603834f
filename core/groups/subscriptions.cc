#include "core/groups/subscriptions.h"

#include "core/wire/consumer_protocol.h"

namespace leat::groups {

std::optional<std::set<std::string>> subscribed_topics(const ClassicGroup& group) {
    if (group.protocol_type() != consumer_protocol_type || !group.protocol()) return std::nullopt;
    std::set<std::string> topics;
    for (const auto& [id, member] : group.members()) {
        if (!member.supports(*group.protocol())) return std::nullopt;
        const auto subscription = wire::decode_subscription(member.metadata(*group.protocol()));
        if (!subscription) return std::nullopt;
        topics.insert(subscription->message.topics.begin(), subscription->message.topics.end());
    }
    return topics;
}

}  // namespace leat::groups
