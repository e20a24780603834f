#include "core/groups/migration.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/groups/subscriptions.h"
#include "core/wire/consumer_protocol.h"

namespace leat::groups {
namespace {

using Member = wire::ConsumerGroupMemberMetadataValue;
using ClassicForm = wire::GroupMetadataValue;
using MemberTarget = wire::ConsumerGroupTargetAssignmentMemberValue;
using sdk::Errc;
using sdk::Error;

const Error malformed{Errc::corrupt,
                      "a member's metadata or assignment is not what consumers write."};

const wire::Bytes* metadata_for(const Member& member, const std::string& protocol) {
    const auto& protocols = member.classic_member_metadata->supported_protocols;
    const auto found = std::ranges::find(protocols, protocol, &Member::ClassicProtocol::name);
    return found == protocols.end() ? nullptr : &found->metadata;
}

// As a classic group chooses: each member votes for the first that all support.
std::optional<std::string> common_protocol(const DurableConsumerGroup& group) {
    std::map<std::string, std::size_t> votes;
    const auto supported_by_all = [&](const Member::ClassicProtocol& protocol) {
        return std::ranges::all_of(group.members, [&](const auto& member) {
            return metadata_for(member.second, protocol.name) != nullptr;
        });
    };
    for (const auto& [id, member] : group.members) {
        const auto& protocols = member.classic_member_metadata->supported_protocols;
        const auto choice = std::ranges::find_if(protocols, supported_by_all);
        if (choice != protocols.end()) ++votes[choice->name];
    }
    if (votes.empty()) return std::nullopt;
    return std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; })->first;
}

Member as_consumer_member(const ClassicMember& member,
                          const wire::ConsumerProtocolSubscription& subscription) {
    Member made{
        .instance_id = member.instance_id,
        .rack_id = subscription.rack_id,
        .client_id = member.client_id,
        .client_host = member.client_host,
        .rebalance_timeout_ms = static_cast<std::int32_t>(member.rebalance_timeout.count())};
    const std::set<std::string> names{subscription.topics.begin(), subscription.topics.end()};
    made.subscribed_topic_names.assign(names.begin(), names.end());
    auto& classic = made.classic_member_metadata.emplace();
    classic.session_timeout_ms = static_cast<std::int32_t>(member.session_timeout.count());
    for (const auto& protocol : member.protocols)
        classic.supported_protocols.push_back({protocol.name, protocol.metadata});
    return made;
}

// A partition that two members were assigned, by a client that can not assign, is the first one's.
PartitionSet without_taken(PartitionSet partitions, PartitionSet& taken) {
    for (auto& [topic, of_topic] : partitions) {
        auto& known = taken[topic];
        std::erase_if(of_topic, [&](std::int32_t each) { return !known.insert(each).second; });
    }
    std::erase_if(partitions, [](const auto& entry) { return entry.second.empty(); });
    return partitions;
}

DatedPartitions dated(const PartitionSet& partitions, std::int32_t epoch) {
    DatedPartitions all;
    for (const auto& [topic, of_topic] : partitions) {
        for (const std::int32_t each : of_topic) all[topic][each] = epoch;
    }
    return all;
}

// In a cooperative group a member may be about to give back what it owned when it joined, and was
// not assigned again. It may still have it: nobody gets it before that member joins without.
void hold_back(const std::map<std::string, PartitionSet>& claims, PartitionSet& taken,
               DurableConsumerGroup& made) {
    for (const auto& [id, claim] : claims) {
        const PartitionSet revoking = without_taken(claim, taken);
        if (revoking.empty()) continue;
        CurrentAssignment current = CurrentAssignment::from(made.current.at(id));
        current.state = ConsumerState::unrevoked;
        current.revoking = dated(revoking, current.epoch);
        made.current.at(id) = current.stored_form();
    }
}

PartitionSet held_by(const DurableConsumerGroup& group, const std::string& member_id) {
    const auto found = group.current.find(member_id);
    if (found == group.current.end()) return {};
    PartitionSet held = partition_set(found->second.assigned_partitions);
    for (const auto& [topic, partitions] :
         partition_set(found->second.partitions_pending_revocation)) {
        held[topic].insert(partitions.begin(), partitions.end());
    }
    return held;
}

}  // namespace

bool may_upgrade(ConsumerMigration policy) {
    return policy == ConsumerMigration::upgrade || policy == ConsumerMigration::bidirectional;
}

bool may_downgrade(ConsumerMigration policy) {
    return policy == ConsumerMigration::downgrade || policy == ConsumerMigration::bidirectional;
}

sdk::Result<DurableConsumerGroup> upgraded(const ClassicGroup& group, const cluster::Image& image,
                                           const GroupLimits& limits, Now now) {
    // A group whose first generation is not there yet has generation 0, which is no epoch.
    const std::int32_t epoch = std::max(group.generation(), 1);
    const std::string protocol = group.agreed_protocol();
    DurableConsumerGroup made;
    PartitionSet taken;
    std::map<std::string, PartitionSet> claims;
    for (const auto& [id, member] : group.members()) {
        const auto subscription = wire::decode_subscription(member.metadata(protocol));
        if (!subscription) return malformed;
        PartitionSet has;
        if (!member.assignment.empty()) {  // Empty: it has never had one.
            const auto assignment = wire::decode_assignment(member.assignment);
            if (!assignment) return malformed;
            if (const auto& data = assignment->message.user_data; data && !data->empty())
                return Error{Errc::unsupported, "an assignor of the clients' own would lose data."};
            has = known_partitions(assignment->message.assigned_partitions, image);
        }
        if (member.bytes() > limits.most_record_bytes / 2)
            return Error{Errc::limit, "what a member brought does not fit a record."};
        has = without_taken(std::move(has), taken);
        const CurrentAssignment current{
            .epoch = epoch, .previous_epoch = epoch, .assigned = dated(has, epoch)};
        made.members.emplace(id, as_consumer_member(member, subscription->message));
        made.targets.emplace(
            id, MemberTarget{.topic_partitions =
                                 topic_list<std::vector<MemberTarget::TopicPartition>>(has)});
        made.current.emplace(id, current.stored_form());
        claims[id] = known_partitions(subscription->message.owned_partitions, image);
    }
    hold_back(claims, taken, made);
    made.metadata = wire::ConsumerGroupMetadataValue{.epoch = epoch};
    made.target = wire::ConsumerGroupTargetAssignmentMetadataValue{
        .assignment_epoch = epoch, .assignment_timestamp = now.wall.value};
    return made;
}

sdk::Result<ClassicForm> downgraded(const DurableConsumerGroup& group, const cluster::Image& image,
                                    const GroupLimits& limits, Now now) {
    const auto protocol = common_protocol(group);
    if (!protocol) return Error{Errc::corrupt, "its members have no protocol in common"};
    ClassicForm form{.protocol_type = std::string{consumer_protocol_type},
                     .generation = group.epoch(),
                     .protocol = protocol,
                     .current_state_timestamp = now.wall.value};
    std::size_t bytes = 0;
    for (const auto& [id, member] : group.members) {
        const wire::Bytes& metadata = *metadata_for(member, *protocol);
        auto assignment = told_as_classic(held_by(group, id), image, metadata);
        if (!assignment) return malformed;
        bytes += metadata.size() + assignment->size() + id.size() + member.client_id.size() +
                 member.client_host.size();
        form.members.push_back(
            {.member_id = id,
             .group_instance_id = member.instance_id,
             .client_id = member.client_id,
             .client_host = member.client_host,
             .rebalance_timeout = member.rebalance_timeout_ms,
             .session_timeout = member.classic_member_metadata->session_timeout_ms,
             .subscription = metadata,
             .assignment = std::move(*assignment)});
    }
    if (bytes > limits.most_record_bytes)
        return Error{Errc::limit, "its members do not fit a record together"};
    return form;
}

std::optional<wire::Bytes> told_as_classic(const PartitionSet& partitions,
                                           const cluster::Image& image,
                                           std::span<const std::byte> metadata) {
    const auto subscription = wire::decode_subscription(metadata);
    if (!subscription) return std::nullopt;
    wire::ConsumerProtocolAssignment told;
    for (const auto& [id, of_topic] : partitions) {
        const cluster::TopicImage* topic = image.topic(id);
        if (topic == nullptr) continue;
        told.assigned_partitions.push_back({topic->name, {of_topic.begin(), of_topic.end()}});
    }
    std::ranges::sort(told.assigned_partitions, {}, [](const auto& each) { return each.topic; });
    auto bytes = wire::encode_assignment(told, subscription->version);
    if (!bytes) return std::nullopt;
    return std::move(*bytes);
}

}  // namespace leat::groups
