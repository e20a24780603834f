#include "core/groups/consumer_group.h"

#include <algorithm>

namespace leat::groups {

using std::chrono::milliseconds;

ConsumerGroup::ConsumerGroup(std::string id, ConsumerSurroundings& around)
    : id_{std::move(id)}, around_{&around} {}

ConsumerGroup::ConsumerGroup(std::string id, ConsumerSurroundings& around,
                             DurableConsumerGroup stored, Now now)
    : ConsumerGroup{std::move(id), around} {
    stored_ = std::move(stored);
    for (const auto& [member_id, subscription] : stored_.members) {
        count(subscription, +1);
        if (subscription.instance_id) static_members_[*subscription.instance_id] = member_id;
        Timers timers{.session = now.steady + session_timeout(member_id)};
        if (current(member_id).state == ConsumerState::unrevoked && !speaks_classic(member_id)) {
            timers.step = now.steady + milliseconds{subscription.rebalance_timeout_ms};
        }
        set_timers(member_id, timers);
    }
    for (const auto& [member_id, assignment] : stored_.current) {
        if (stored_.members.contains(member_id)) hold(member_id);
    }
}

CurrentAssignment ConsumerGroup::current(const std::string& member_id) const {
    const auto found = stored_.current.find(member_id);
    return found == stored_.current.end() ? CurrentAssignment{}
                                          : CurrentAssignment::from(found->second);
}

std::string_view ConsumerGroup::state() const {
    if (is_empty()) return "Empty";
    if (stored_.epoch() > stored_.assignment_epoch()) return "Assigning";
    const bool reconciled = std::ranges::all_of(stored_.members, [&](const auto& member) {
        const auto found = stored_.current.find(member.first);
        return found != stored_.current.end() &&
               found->second.state == static_cast<std::int8_t>(ConsumerState::stable) &&
               found->second.member_epoch == stored_.assignment_epoch();
    });
    return reconciled ? "Stable" : "Reconciling";
}

wire::ErrorCode ConsumerGroup::may_commit(const std::string& member_id,
                                          const std::optional<std::string>& instance_id,
                                          std::int32_t epoch, bool speaks_epochs) const {
    // Who has no epoch is no member: an administrator, who may while nobody is.
    if (epoch < 0 && is_empty()) return Error::none;
    const auto known = stored_.current.find(member_id);
    if (!stored_.members.contains(member_id) || known == stored_.current.end()) {
        return Error::unknown_member_id;
    }
    if (instance_id && static_member(instance_id) != member_id) return Error::fenced_instance_id;
    if (!speaks_epochs && !speaks_classic(member_id)) return Error::unsupported_version;
    return epoch > known->second.member_epoch || epoch < 0 ? wrong_epoch(member_id) : Error::none;
}

wire::ErrorCode ConsumerGroup::may_fetch(const std::optional<std::string>& member_id,
                                         std::int32_t epoch) const {
    if (!member_id && epoch < 0) return Error::none;  // As an administrator does.
    const auto known = stored_.current.find(member_id.value_or(""));
    if (known == stored_.current.end()) return Error::unknown_member_id;
    return epoch == known->second.member_epoch ? Error::none : wrong_epoch(*member_id);
}

wire::ErrorCode ConsumerGroup::wrong_epoch(const std::string& member_id) const {
    return speaks_classic(member_id) ? Error::illegal_generation : Error::stale_member_epoch;
}

bool ConsumerGroup::held_since(const std::string& member_id, std::int32_t epoch,
                               const sdk::Uuid& topic, std::int32_t partition) const {
    const CurrentAssignment assignment = current(member_id);
    if (epoch == assignment.epoch) return true;
    for (const auto* held : {&assignment.assigned, &assignment.revoking}) {
        const auto of_topic = held->find(topic);
        if (of_topic == held->end()) continue;
        const auto found = of_topic->second.find(partition);
        if (found != of_topic->second.end()) return found->second <= epoch;
    }
    return false;
}

bool ConsumerGroup::subscribes_to(const std::string& topic) const {
    if (names_.contains(topic)) return true;
    return std::ranges::any_of(stored_.patterns, [&](const auto& pattern) {
        return patterns_.contains(pattern.first) &&
               std::ranges::count(pattern.second.topics, topic) > 0;
    });
}

namespace {

wire::ConsumerGroupDescribeResponse::Assignment told(const PartitionSet& partitions,
                                                     const cluster::Image& image) {
    wire::ConsumerGroupDescribeResponse::Assignment assignment;
    for (const auto& [id, of_topic] : partitions) {
        const cluster::TopicImage* topic = image.topic(id);
        if (topic == nullptr) continue;
        assignment.topic_partitions.push_back({.topic_id = id, .topic_name = topic->name});
        assignment.topic_partitions.back().partitions.assign(of_topic.begin(), of_topic.end());
    }
    return assignment;
}

}  // namespace

wire::ConsumerGroupDescribeResponse::Group ConsumerGroup::describe() const {
    wire::ConsumerGroupDescribeResponse::Group group{.group_id = id_,
                                                     .group_state = std::string{state()},
                                                     .group_epoch = stored_.epoch(),
                                                     .assignment_epoch = stored_.assignment_epoch(),
                                                     .assignor_name = preferred_assignor()};
    const cluster::Image& image = around_->image();
    for (const auto& [member_id, subscription] : stored_.members) {
        const CurrentAssignment assignment = current(member_id);
        const auto target = stored_.targets.find(member_id);
        group.members.push_back(
            {.member_id = member_id,
             .instance_id = subscription.instance_id,
             .rack_id = subscription.rack_id,
             .member_epoch = assignment.epoch,
             .client_id = subscription.client_id,
             .client_host = subscription.client_host,
             .subscribed_topic_names = subscription.subscribed_topic_names,
             .subscribed_topic_regex = subscription.subscribed_topic_regex.value_or(""),
             .assignment = told(undated(assignment.assigned), image)});
        auto& member = group.members.back();
        // While it holds what it is to give back, that is still its own.
        const PartitionSet revoking = undated(assignment.revoking);
        if (!revoking.empty()) {
            PartitionSet all = undated(assignment.assigned);
            for (const auto& [topic, partitions] : revoking) {
                all[topic].insert(partitions.begin(), partitions.end());
            }
            member.assignment = told(all, image);
        }
        if (target != stored_.targets.end()) {
            member.target_assignment = told(partition_set(target->second.topic_partitions), image);
        }
        member.member_type = subscription.classic_member_metadata ? 0 : 1;
    }
    return group;
}

void ConsumerGroup::begin(Effects& effects) {
    stored_.metadata->metadata_hash = hash_of_topics();
    auto& records = effects.records;
    for (const auto& [member, value] : stored_.members)
        records.push_back(wire::ConsumerGroupMemberMetadataRecord{{id_, member}, value});
    records.push_back(wire::ConsumerGroupMetadataRecord{{id_}, stored_.metadata});
    for (const auto& [member, value] : stored_.targets)
        records.push_back(wire::ConsumerGroupTargetAssignmentMemberRecord{{id_, member}, value});
    records.push_back(wire::ConsumerGroupTargetAssignmentMetadataRecord{{id_}, stored_.target});
    for (const auto& [member, value] : stored_.current)
        records.push_back(wire::ConsumerGroupCurrentMemberAssignmentRecord{{id_, member}, value});
}

template <class Written>
void tombstone(const std::string& group, const std::string& part, Effects& effects) {
    effects.records.push_back(Written{{group, part}, std::nullopt});
}

void ConsumerGroup::remove_records(Effects& effects) const {
    for (const auto& [member, value] : stored_.current)
        tombstone<wire::ConsumerGroupCurrentMemberAssignmentRecord>(id_, member, effects);
    for (const auto& [member, value] : stored_.targets)
        tombstone<wire::ConsumerGroupTargetAssignmentMemberRecord>(id_, member, effects);
    if (stored_.target)
        effects.records.push_back(
            wire::ConsumerGroupTargetAssignmentMetadataRecord{{id_}, std::nullopt});
    for (const auto& [member, value] : stored_.members)
        tombstone<wire::ConsumerGroupMemberMetadataRecord>(id_, member, effects);
    for (const auto& [pattern, value] : stored_.patterns)
        tombstone<wire::ConsumerGroupRegularExpressionRecord>(id_, pattern, effects);
    if (stored_.lists_topics)
        effects.records.push_back(wire::ConsumerGroupPartitionMetadataRecord{{id_}, std::nullopt});
    if (stored_.metadata)
        effects.records.push_back(wire::ConsumerGroupMetadataRecord{{id_}, std::nullopt});
}

}  // namespace leat::groups
