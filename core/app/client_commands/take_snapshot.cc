#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/app/client_commands/group_snapshot.h"
#include "core/client/groups.h"
#include "core/client/offsets.h"
#include "core/groups/topic_pattern.h"

namespace leat::app {
namespace {

using client::Cluster;
using client::GroupState;
using sdk::AssignmentInput;
using sdk::Errc;
using sdk::Error;
using Topics = std::vector<wire::MetadataResponse::Topic>;

// In the others it is not settled yet who gets what.
bool settled(const GroupState& group) {
    static constexpr std::array known{"Stable", "Empty", "Reconciling"};
    return std::ranges::find(known, group.state) != known.end();
}

sdk::Result<GroupState> settled_group(Cluster& cluster, const std::string& id) {
    auto group = cluster.persist([&]() -> sdk::Result<GroupState> {
        auto said = client::describe_group(cluster, id);
        if (!said || settled(*said)) return said;
        return Error{Errc::unavailable, "group " + id + " is not settled: it is " + said->state};
    });
    if (group && !group->members.empty() && group->protocol_type != "consumer") {
        return Error{Errc::unsupported, "group " + id + " is of protocol type `" +
                                            group->protocol_type +
                                            "`, and only consumers tell what they subscribe to"};
    }
    return group;
}

// All that each member subscribes to, by name or by a pattern.
sdk::Result<std::vector<std::set<std::string>>> subscriptions_of(const GroupState& group,
                                                                 const Topics& there) {
    std::vector<std::set<std::string>> all;
    for (const auto& member : group.members) {
        auto& topics = all.emplace_back(member.topics.begin(), member.topics.end());
        if (!member.pattern || member.pattern->empty()) continue;
        const auto pattern = groups::TopicPattern::compile(*member.pattern);
        if (!pattern) return pattern.error();
        for (const auto& topic : there) {
            if (pattern->matches(*topic.name)) topics.insert(*topic.name);
        }
    }
    return all;
}

// Of those that exist; what is not among them is not told of members either.
class Collecting {
public:
    Collecting(Cluster& cluster, const wire::MetadataResponse& said, const Topics& there)
        : cluster_{cluster}, there_{there} {
        for (const auto& each : said.brokers) {
            if (each.rack && !each.rack->empty()) racks_.emplace(each.node_id, *each.rack);
        }
    }

    sdk::Status add_topic(const std::string& name, const client::GroupOffsets& committed,
                          AssignmentInput& input) {
        const auto known =
            std::ranges::find_if(there_, [&name](const auto& each) { return *each.name == name; });
        if (known == there_.end() || known->partitions.empty()) return {};
        sdk::GroupTopic topic{.id = known->topic_id, .name = name, .partitions = {}};
        topic.partitions.resize(known->partitions.size());
        std::vector<std::int32_t> wanted;
        const auto offsets = committed.find(name);
        for (const auto& each : known->partitions) {
            const auto at = static_cast<std::size_t>(each.partition_index);
            if (at >= topic.partitions.size()) continue;
            topic.partitions[at].racks = racks_of(each.replica_nodes);
            const bool compared =
                offsets != committed.end() && offsets->second.contains(each.partition_index);
            if (compared && each.leader_id >= 0) wanted.push_back(each.partition_index);
        }
        if (!wanted.empty()) {
            const auto ends = client::offsets_at(cluster_, name, wanted, client::latest);
            if (!ends) return ends.error();
            for (const auto& [number, end] : *ends) {
                topic.partitions[static_cast<std::size_t>(number)].lag =
                    std::max(end - offsets->second.at(number), std::int64_t{0});
            }
        }
        positions_.emplace(name, static_cast<std::uint32_t>(input.topics.size()));
        input.topics.push_back(std::move(topic));
        return {};
    }

    sdk::GroupMember member(const client::GroupMemberState& from,
                            const std::set<std::string>& subscribed, const AssignmentInput& input) {
        sdk::GroupMember member{.id = from.id,
                                .instance = from.instance,
                                .rack = from.rack,
                                .client_id = from.client_id,
                                .client_host = from.client_host};
        for (const auto& topic : subscribed) {
            const auto known = positions_.find(topic);
            if (known != positions_.end()) member.topics.push_back(known->second);
        }
        member.owned = placed(from.owned, input);
        for (const auto& each : placed(from.assigned, input)) {
            if (taken_.insert(each).second) member.previous.push_back(each);
        }
        return member;
    }

private:
    std::vector<std::string> racks_of(const std::vector<std::int32_t>& nodes) const {
        std::set<std::string> racks;
        for (const auto node : nodes) {
            const auto known = racks_.find(node);
            if (known != racks_.end()) racks.insert(known->second);
        }
        return {racks.begin(), racks.end()};
    }
    std::vector<sdk::GroupPartition> placed(const client::TopicPartitions& partitions,
                                            const AssignmentInput& input) const {
        std::vector<sdk::GroupPartition> list;
        for (const auto& [topic, numbers] : partitions) {
            const auto known = positions_.find(topic);
            if (known == positions_.end()) continue;
            const auto count = input.topics[known->second].partitions.size();
            for (const auto number : numbers) {
                if (number < 0 || static_cast<std::size_t>(number) >= count) continue;
                list.push_back({known->second, number});
            }
        }
        return list;
    }

    Cluster& cluster_;
    const Topics& there_;
    std::map<std::int32_t, std::string> racks_;
    std::map<std::string, std::uint32_t> positions_;
    std::set<sdk::GroupPartition> taken_;
};

}  // namespace

sdk::Result<GroupSnapshot> take_snapshot(Cluster& cluster, const std::string& id) {
    const auto group = settled_group(cluster, id);
    if (!group) return group.error();
    const auto committed = client::committed_offsets(cluster, id);
    if (!committed) return committed.error();
    const auto said = cluster.persist([&] { return cluster.refresh(std::nullopt); });
    if (!said) return said.error();
    Topics there;
    for (const auto& each : said->topics) {
        if (each.name && each.error_code == wire::ErrorCode::none) there.push_back(each);
    }
    const auto subscribed = subscriptions_of(*group, there);
    if (!subscribed) return subscribed.error();
    std::set<std::string> names;
    for (const auto& each : *subscribed) names.insert(each.begin(), each.end());
    for (const auto& [topic, offsets] : *committed) names.insert(topic);
    for (const auto& member : group->members) {
        for (const auto* held : {&member.assigned, &member.owned}) {
            for (const auto& [topic, numbers] : *held) names.insert(topic);
        }
    }
    GroupSnapshot snapshot{.type = group->type, .state = group->state, .assignor = group->assignor};
    AssignmentInput& input = snapshot.input;
    input.group = id;
    Collecting collecting{cluster, *said, there};
    for (const auto& name : names) {
        if (const auto status = collecting.add_topic(name, *committed, input); !status) {
            return status.error();
        }
    }
    for (std::size_t i = 0; i < group->members.size(); ++i) {
        input.members.push_back(collecting.member(group->members[i], (*subscribed)[i], input));
    }
    return snapshot;
}

}  // namespace leat::app
