#include "core/groups/consumer_assignment.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "core/groups/subscriptions.h"
#include "core/wire/consumer_protocol.h"
#include "leat/sdk/ensure.h"

namespace leat::groups {
namespace {

using wire::ConsumerProtocolAssignment;
using wire::ConsumerProtocolSubscription;

constexpr std::string_view cooperative = "cooperative-sticky";
constexpr std::array<std::string_view, 4> replaceable{"range", "roundrobin", "sticky", cooperative};

using Partition = std::pair<std::string_view, std::int32_t>;  // Topic and number.
using Members = std::map<std::string_view, ConsumerProtocolSubscription>;

// Whose each partition is by what the members say: those of the latest generation that names it. It
// should be one, but who knows.
struct Claim {
    std::int32_t generation = -1;
    std::set<std::string_view> members;
};
using Claims = std::map<Partition, Claim>;

Claims claims_of(const Members& members) {
    Claims claims;
    for (const auto& [id, subscription] : members) {
        for (const auto& topic : subscription.owned_partitions) {
            for (const std::int32_t partition : topic.partitions) {
                Claim& claim = claims[{topic.topic, partition}];
                if (subscription.generation_id < claim.generation) continue;
                if (subscription.generation_id > claim.generation) claim.members.clear();
                claim.generation = subscription.generation_id;
                claim.members.insert(id);
            }
        }
    }
    return claims;
}

// Nothing: a member's metadata is not what consumers write.
std::optional<Members> members_of(const ClassicGroup& group) {
    Members members;
    for (const auto& [id, member] : group.members()) {
        auto subscription = wire::decode_subscription(member.metadata(*group.protocol()));
        if (!subscription) return std::nullopt;
        members.emplace(id, std::move(subscription->message));
    }
    return members;
}

// Lists of partitions and nothing else, or, from librdkafka, with the user data of the member's own
// subscription as it came.
bool plain(const LeadersAssignments& by_leader, const Members& members) {
    return std::ranges::all_of(by_leader, [&members](const auto& given) {
        if (given.assignment.empty()) return true;
        const auto assignment = wire::decode_assignment(given.assignment);
        if (!assignment) return false;
        const auto& data = assignment->message.user_data;
        const auto member = members.find(given.member_id);
        return !data || data->empty() ||
               (member != members.end() && data == member->second.user_data);
    });
}

// Positions in the order of the names.
std::map<std::string, std::uint32_t> positions_of(const std::set<std::string>& names) {
    std::map<std::string, std::uint32_t> positions;
    for (const std::string& name : names) {
        positions.emplace(name, static_cast<std::uint32_t>(positions.size()));
    }
    return positions;
}

using Held = std::map<std::string_view, std::set<std::pair<std::string, std::int32_t>>>;

// As the coordinator last told them. Who was told nothing has what it says it holds, unless that is
// another's.
Held previous_of(const ClassicGroup& group, const Claims& claims) {
    Held held;
    std::set<std::pair<std::string, std::int32_t>> taken;
    for (const auto& [id, member] : group.members()) {
        const auto last = wire::decode_assignment(member.assignment);
        if (!last) continue;
        for (const auto& topic : last->message.assigned_partitions) {
            for (const std::int32_t partition : topic.partitions) {
                if (taken.emplace(topic.topic, partition).second) {
                    held[id].emplace(topic.topic, partition);
                }
            }
        }
    }
    for (const auto& [partition, claim] : claims) {
        const std::string_view id = *claim.members.begin();
        if (claim.members.size() > 1 || !group.members().at(std::string{id}).assignment.empty()) {
            continue;
        }
        const std::pair<std::string, std::int32_t> named{partition};
        if (taken.insert(named).second) held[id].insert(named);
    }
    return held;
}

}  // namespace

std::optional<sdk::AssignmentInput> assignor_input(const ClassicGroup& group,
                                                   const LeadersAssignments& by_leader) {
    if (group.protocol_type() != consumer_protocol_type ||
        std::ranges::find(replaceable, group.protocol().value_or("")) == replaceable.end()) {
        return std::nullopt;
    }
    const auto members = members_of(group);
    if (!members || !plain(by_leader, *members)) return std::nullopt;
    const Claims claims = claims_of(*members);
    Held previous = previous_of(group, claims);
    Held owned;
    std::set<std::string> names;
    for (const auto& [partition, claim] : claims) {
        for (const std::string_view id : claim.members) owned[id].emplace(partition);
        names.emplace(partition.first);
    }
    for (const auto& [id, partitions] : previous) {
        for (const auto& [topic, partition] : partitions) names.insert(topic);
    }
    for (const auto& [id, subscription] : *members) {
        names.insert(subscription.topics.begin(), subscription.topics.end());
    }
    const auto positions = positions_of(names);
    const auto placed = [&positions](const auto& partitions) {
        std::vector<sdk::GroupPartition> list;
        for (const auto& [topic, partition] : partitions) {
            list.push_back({positions.at(topic), partition});
        }
        return list;
    };
    sdk::AssignmentInput input{.group = group.id(), .members = {}, .topics = {}};
    for (const auto& [name, position] : positions) {
        input.topics.push_back({.id = {}, .name = name, .partitions = {}});
    }
    for (const auto& [id, subscription] : *members) {
        const ClassicMember& member = group.members().at(std::string{id});
        std::set<std::uint32_t> topics;
        for (const std::string& topic : subscription.topics) topics.insert(positions.at(topic));
        input.members.push_back({.id = member.id,
                                 .instance = member.instance_id,
                                 .rack = subscription.rack_id.value_or(""),
                                 .client_id = member.client_id,
                                 .client_host = member.client_host,
                                 .topics = {topics.begin(), topics.end()},
                                 .previous = placed(previous[id]),
                                 .owned = placed(owned[id])});
    }
    return input;
}

GivenAssignments told_to_members(const ClassicGroup& group, const sdk::AssignmentInput& input,
                                 const sdk::GroupAssignment& assignment) {
    const auto members = members_of(group);
    sdk::ensure(members.has_value(), "it was read when the assignor was asked");
    const Claims claims = group.protocol() == cooperative ? claims_of(*members) : Claims{};
    GivenAssignments given;
    for (std::size_t i = 0; i < input.members.size(); ++i) {
        const std::string& id = input.members[i].id;
        std::map<std::string_view, std::vector<std::int32_t>> by_topic;
        for (const auto& [topic, partition] : assignment[i]) {
            const std::string& name = input.topics[topic].name;
            const auto claim = claims.find({name, partition});
            const bool of_another = claim != claims.end() && (claim->second.members.size() > 1 ||
                                                              !claim->second.members.contains(id));
            of_another ? void(++given.withheld) : by_topic[name].push_back(partition);
        }
        ConsumerProtocolAssignment told;
        for (auto& [topic, partitions] : by_topic) {
            std::ranges::sort(partitions);
            told.assigned_partitions.push_back({std::string{topic}, std::move(partitions)});
        }
        const ClassicMember& member = group.members().at(id);
        const auto version = wire::decode_subscription(member.metadata(*group.protocol()))->version;
        auto bytes = wire::encode_assignment(told, version);
        sdk::ensure(bytes.has_value(), "names of topics that exist are short");
        given.assignments.push_back({.member_id = id, .assignment = std::move(*bytes)});
    }
    return given;
}

}  // namespace leat::groups
