// Growing, of topic_change.h.
#include <algorithm>
#include <string>

#include "core/cluster/topic_change.h"
#include "core/cluster/topic_rules.h"
#include "leat/sdk/ensure.h"

namespace leat::cluster {

using sdk::NodeId;
using wire::ErrorCode;

namespace {

using Placement = std::vector<std::vector<NodeId>>;

// A put and its check are two; the fence, the check of partition 0 and the record are three more.
constexpr std::size_t puts_at_once = (sdk::most_operations - 4) / 2;

TopicRefusal refuse(ErrorCode error, std::string message) {
    return {error, std::move(message)};
}

std::optional<TopicRefusal> check_count(const MorePartitions& wanted, const TopicImage& topic,
                                        const Image& image, const TopicMeans& means) {
    const auto there = static_cast<std::int32_t>(topic.partitions.size());
    const auto is = std::to_string(there);
    if (wanted.count == there) {
        return refuse(ErrorCode::invalid_partitions, "Topic already has " + is + " partition(s).");
    }
    if (wanted.count < there) {
        return refuse(ErrorCode::invalid_partitions,
                      "The topic " + wanted.topic + " currently has " + is + " partition(s); " +
                          std::to_string(wanted.count) + " would not be an increase.");
    }
    const auto added = static_cast<std::size_t>(wanted.count - there);
    if (wanted.assignments && wanted.assignments->size() != added) {
        return refuse(
            ErrorCode::invalid_replica_assignment,
            "Attempted to add " + std::to_string(added) + " additional partition(s), but only " +
                std::to_string(wanted.assignments->size()) + " assignment(s) were specified.");
    }
    if (wanted.count > most_partition_index ||
        added + image.partition_count() > static_cast<std::size_t>(means.most_partitions)) {
        return refuse(ErrorCode::policy_violation, "The cluster would have more than " +
                                                       std::to_string(means.most_partitions) +
                                                       " partitions.");
    }
    return std::nullopt;
}

std::optional<TopicRefusal> check_assignment(const Placement& placement, std::size_t replicas,
                                             const Image& image) {
    const auto wrong = [](const std::string& why) {
        return refuse(ErrorCode::invalid_replica_assignment,
                      "The manual partition assignment includes " + why);
    };
    for (auto nodes : placement) {
        if (nodes.empty()) return wrong("an empty replica list.");
        std::ranges::sort(nodes);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto id = std::to_string(nodes[i].value);
            if (image.broker(nodes[i]) == nullptr) {
                return wrong("broker " + id + ", but no such broker is registered.");
            }
            if (i > 0 && nodes[i] == nodes[i - 1]) {
                return wrong("the broker " + id + " more than once.");
            }
        }
        if (nodes.size() == replicas) continue;
        return wrong("a partition with " + std::to_string(nodes.size()) +
                     " replica(s), but this is not consistent with previous partitions, which "
                     "have " +
                     std::to_string(replicas) + " replica(s).");
    }
    return std::nullopt;
}

std::variant<Placement, TopicRefusal> place(const MorePartitions& wanted, const TopicImage& topic,
                                            const Image& image) {
    const auto replicas = topic.partitions.front().replicas.size();
    if (wanted.assignments) {
        if (auto refused = check_assignment(*wanted.assignments, replicas, image)) return *refused;
        return *wanted.assignments;
    }
    std::vector<NodeId> brokers;
    for (const auto& [id, broker] : image.brokers()) brokers.push_back(id);
    if (replicas > brokers.size()) {
        return refuse(ErrorCode::invalid_replication_factor,
                      "The topic has " + std::to_string(replicas) +
                          " replica(s) of each partition, and only " +
                          std::to_string(brokers.size()) + " broker(s) are registered.");
    }
    const auto added = wanted.count - static_cast<std::int32_t>(topic.partitions.size());
    return place_replicas(brokers, added, static_cast<std::int16_t>(replicas),
                          image.partition_count());
}

}  // namespace

std::variant<GrowthPlan, TopicRefusal> plan_growth(const MorePartitions& wanted,
                                                   const StoreView& view, const TopicMeans& means) {
    const Image& image = view.image();
    const auto* topic = image.topic(wanted.topic);
    const auto* entry = view.find(keys::topic(wanted.topic));
    if (topic == nullptr || entry == nullptr) {
        return refuse(ErrorCode::unknown_topic_or_partition, "There is no such topic.");
    }
    if (auto refused = check_count(wanted, *topic, image, means)) return *refused;
    auto placed = place(wanted, *topic, image);
    if (auto* refused = std::get_if<TopicRefusal>(&placed)) return *refused;
    const auto policy = means.policies.find(topic->replication);
    if (policy == means.policies.end()) {
        return refuse(
            ErrorCode::invalid_config,
            "No replication policy of this broker is called '" + topic->replication + "'.");
    }
    auto record = decode<TopicRecord>(*entry);
    if (!record) return refuse(ErrorCode::unknown_server_error, record.error().what);
    GrowthPlan plan{.record = std::move(*record),
                    .first = static_cast<std::int32_t>(topic->partitions.size())};
    plan.record.partitions = wanted.count;
    for (auto& replicas : std::get<Placement>(placed)) {
        auto state = policy->second->initial(std::move(replicas));
        if (!state) return refuse(ErrorCode::invalid_replication_factor, state.error().what);
        plan.added.push_back(std::move(*state));
    }
    return plan;
}

Stages growth_stages(const GrowthPlan& plan, const StoreView& view, const sdk::Check& fence) {
    sdk::ensure(!plan.added.empty(), "a topic grows by a partition at least");
    const auto& id = plan.record.id;
    const auto put_partition = [&](sdk::Transaction& into, std::size_t which) {
        const auto index = plan.first + static_cast<std::int32_t>(which);
        auto state = plan.added[which];
        sdk::Revision seen;
        if (const auto* left_behind = view.partition(id, index)) {
            seen = left_behind->revision;
            state.leader_epoch = std::max(state.leader_epoch, left_behind->leader_epoch);
        }
        auto key = keys::partition(id, index);
        into.checks.push_back({key, seen});
        into.operations.emplace_back(sdk::Put{.key = std::move(key), .value = encode(state)});
    };
    sdk::Transaction last;
    const auto* zero = view.partition(id, 0);
    sdk::ensure(zero != nullptr, "a topic has a partition 0");
    last.checks = {fence, {keys::partition(id, 0), zero->revision}};
    const auto with_record = std::min(plan.added.size(), puts_at_once);
    for (std::size_t i = 0; i < with_record; ++i) put_partition(last, i);
    last.operations.emplace_back(sdk::Put{keys::topic(plan.record.name), encode(plan.record)});

    std::vector<sdk::Transaction> before;
    for (auto at = with_record; at < plan.added.size(); at += puts_at_once) {
        auto& chunk = before.emplace_back();
        chunk.checks = {fence};
        const auto end = std::min(plan.added.size(), at + puts_at_once);
        for (auto i = at; i < end; ++i) put_partition(chunk, i);
    }
    Stages stages;
    if (!before.empty()) stages.push_back(std::move(before));
    stages.push_back({std::move(last)});
    return stages;
}

}  // namespace leat::cluster
