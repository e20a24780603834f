#include "core/app/client_commands/group_lag.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/client/offsets.h"

namespace leat::app {
namespace {

using client::GroupMemberState;
using client::GroupState;

using Rows = std::map<std::pair<std::string, std::int32_t>, PartitionLag>;

PartitionLag& row_of(Rows& rows, const std::string& topic, std::int32_t partition) {
    return rows.try_emplace({topic, partition}, PartitionLag{topic, partition, {}, {}, nullptr})
        .first->second;
}

// The ends of the partitions that have a leader; a topic that is gone has none.
sdk::Status add_ends(client::Cluster& cluster, const std::string& topic, bool whole, Rows& rows) {
    const auto known = cluster.persist([&] { return cluster.refresh(std::vector{topic}); });
    if (!known) return known.error();
    const auto& partitions = cluster.partitions(topic);
    const auto found = std::ranges::find_if(
        known->topics, [&topic](const auto& each) { return each.name == topic; });
    if (found == known->topics.end() || found->error_code != wire::ErrorCode::none) return {};
    std::vector<std::int32_t> led;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        const auto number = static_cast<std::int32_t>(i);
        if (!whole && !rows.contains({topic, number})) continue;
        row_of(rows, topic, number);
        if (partitions[i].leader >= 0) led.push_back(number);
    }
    if (led.empty()) return {};
    const auto ends = client::offsets_at(cluster, topic, led, client::latest);
    if (!ends) return ends.error();
    for (const auto& [number, end] : *ends) row_of(rows, topic, number).end = end;
    return {};
}

}  // namespace

std::optional<std::int64_t> PartitionLag::lag() const {
    if (!committed || !end) return std::nullopt;
    return std::max(*end - *committed, std::int64_t{0});
}

void LagSum::add(const PartitionLag& partition) {
    ++partitions;
    const auto behind = partition.lag();
    behind ? void(lag += *behind) : void(++unknown);
}

sdk::Result<std::vector<PartitionLag>> lag_of(client::Cluster& cluster, const GroupState& group) {
    const auto committed = client::committed_offsets(cluster, group.id);
    if (!committed) return committed.error();
    Rows rows;
    std::set<std::string> topics, subscribed;
    for (const auto& [topic, partitions] : *committed) {
        topics.insert(topic);
        for (const auto& [number, offset] : partitions) {
            row_of(rows, topic, number).committed = offset;
        }
    }
    for (const GroupMemberState& member : group.members) {
        subscribed.insert(member.topics.begin(), member.topics.end());
        for (const auto& [topic, numbers] : member.assigned) {
            topics.insert(topic);
            for (const auto number : numbers) row_of(rows, topic, number).owner = &member;
        }
    }
    topics.insert(subscribed.begin(), subscribed.end());
    for (const auto& topic : topics) {
        const auto status = add_ends(cluster, topic, subscribed.contains(topic), rows);
        if (!status) return status.error();
    }
    std::vector<PartitionLag> all;
    for (auto& [at, row] : rows) all.push_back(std::move(row));
    return all;
}

std::vector<LagSum> by_topic(const std::vector<PartitionLag>& partitions) {
    std::vector<LagSum> sums;
    for (const auto& each : partitions) {
        if (sums.empty() || sums.back().name != each.topic) sums.push_back({.name = each.topic});
        sums.back().add(each);
    }
    return sums;
}

std::vector<LagSum> by_member(const std::vector<PartitionLag>& partitions,
                              const GroupState& group) {
    std::vector<LagSum> sums;
    for (const auto& member : group.members) {
        sums.push_back({.name = name_of(member, group)});
        for (const auto& each : partitions) {
            if (each.owner == &member) sums.back().add(each);
        }
    }
    return sums;
}

std::string name_of(const GroupMemberState& member, const GroupState& group) {
    if (member.instance) return *member.instance;
    const auto same =
        std::ranges::count(group.members, member.client_id, &GroupMemberState::client_id);
    return same == 1 && !member.client_id.empty() ? member.client_id : member.id;
}

}  // namespace leat::app
