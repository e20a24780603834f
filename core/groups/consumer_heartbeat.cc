// What a heartbeat does to its member: it is let in or refused, subscribes, and moves on.
#include <algorithm>

#include "core/groups/consumer_group.h"

namespace leat::groups {

using std::chrono::milliseconds;

std::optional<std::string> ConsumerGroup::static_member(
    const std::optional<std::string>& instance) const {
    if (!instance) return std::nullopt;
    const auto found = static_members_.find(*instance);
    return found == static_members_.end() ? std::nullopt : std::optional{found->second};
}

Refusal ConsumerGroup::no_member(const std::string& member_id) const {
    return {Error::unknown_member_id, "Group " + id_ + " has no member " + member_id + "."};
}

std::optional<Refusal> ConsumerGroup::refuse(const Request& request) const {
    const auto known = static_member(request.instance_id);
    if (request.member_epoch != joins) {
        if (request.instance_id && !known)
            return Refusal{Error::unknown_member_id,
                           "Group " + id_ + " has no instance " + *request.instance_id + "."};
        if (known) return refuse_static(request, *known);
        if (!stored_.members.contains(request.member_id)) return no_member(request.member_id);
        return refuse_epoch(request.member_id, request);
    }
    if (known) {
        if (current(*known).epoch == leaves_for_a_while || speaks_classic(*known))
            return std::nullopt;
        return Refusal{Error::unreleased_instance_id,
                       "Instance " + *request.instance_id + " is member " + *known + "."};
    }
    const auto most = static_cast<std::size_t>(around_->limits.most_consumer_members);
    if (stored_.members.size() >= most && !stored_.members.contains(request.member_id))
        return Refusal{Error::group_max_size_reached,
                       "Group " + id_ + " has " + std::to_string(most) + " members already."};
    return std::nullopt;
}

std::optional<Refusal> ConsumerGroup::refuse_static(const Request& request,
                                                    const std::string& known) const {
    if (known != request.member_id)
        return Refusal{Error::fenced_instance_id,
                       "Instance " + *request.instance_id + " is member " + known + " by now."};
    return refuse_epoch(known, request);
}

// The epoch before is good from a member that did not hear of the last change: it shows that by
// owning nothing that it has not been assigned.
std::optional<Refusal> ConsumerGroup::refuse_epoch(const std::string& member_id,
                                                   const Request& request) const {
    if (request.member_epoch < 0) return std::nullopt;  // It leaves.
    const CurrentAssignment known = current(member_id);
    if (request.member_epoch == known.epoch) return std::nullopt;
    if (request.member_epoch < known.epoch && request.member_epoch == known.previous_epoch &&
        request.topic_partitions &&
        within(partition_set(*request.topic_partitions), known.assigned)) {
        return std::nullopt;
    }
    return Refusal{Error::fenced_member_epoch,
                   "Member " + member_id + " is in epoch " + std::to_string(known.epoch) +
                       ", not " + std::to_string(request.member_epoch) +
                       ". It must give up its partitions and join again."};
}

wire::ConsumerGroupHeartbeatResponse ConsumerGroup::heartbeat(const ConsumerClient& client,
                                                              const Request& request, Now now,
                                                              Effects& effects) {
    if (const auto refused = refuse(request))
        return {.error_code = refused->error, .error_message = refused->why};
    if (request.member_epoch < joins) return leave(request, now, effects);
    const std::string member_id =
        request.member_id.empty() ? around_->make_id() : request.member_id;
    const auto instance = static_member(request.instance_id);
    if (request.member_epoch == joins && instance) take_over(*instance, member_id, effects);

    follow(subscribe(member_id, client, request, effects), now, effects);
    const PartitionSet before = undated(current(member_id).assigned);
    std::optional<PartitionSet> owned;
    if (request.topic_partitions) owned = partition_set(*request.topic_partitions);
    reconcile(member_id, owned, now, effects);

    const CurrentAssignment after = current(member_id);
    const bool says_all = request.member_epoch == joins ||
                          (request.rebalance_timeout_ms != -1 && request.topic_partitions &&
                           (request.subscribed_topic_names || request.subscribed_topic_regex));
    Response response{.member_id = member_id,
                      .member_epoch = after.epoch,
                      .heartbeat_interval_ms = static_cast<std::int32_t>(
                          around_->limits.consumer_heartbeat_interval.count())};
    const PartitionSet has = undated(after.assigned);
    if (says_all || has != before) {
        response.assignment.emplace();
        response.assignment->topic_partitions =
            topic_list<std::vector<Response::TopicPartitions>>(has);
    }
    return response;
}

// What a member said may be news for the group, and the cluster's topics may be others by now.
void ConsumerGroup::follow(bool changed, Now now, Effects& effects) {
    if (changed || seen_image_ != around_->image_changes) {
        changed = refresh_topics(effects, now) || changed;
        drop_unused_patterns(effects);
    }
    if (changed) bump(effects);
    ask_for_target(effects);
}

// The same member under another id: what it has and is to have goes along, and no other member
// notices.
void ConsumerGroup::take_over(const std::string& old_id, const std::string& new_id,
                              Effects& effects) {
    const Subscription subscription = stored_.members.at(old_id);
    CurrentAssignment assignment = current(old_id);
    assignment.epoch = joins;
    assignment.previous_epoch = joins;
    assignment.state = ConsumerState::stable;
    assignment.revoking.clear();
    std::optional<wire::ConsumerGroupTargetAssignmentMemberValue> target;
    if (const auto found = stored_.targets.find(old_id); found != stored_.targets.end()) {
        target = found->second;
    }
    if (const auto waiting = joining_.extract(old_id); !waiting.empty()) {
        effects.answers.push_back({waiting.mapped().ticket,
                                   wire::JoinGroupResponse{.error_code = Error::fenced_instance_id,
                                                           .member_id = old_id}});
    }
    remove_member(old_id, effects);
    if (stored_.members.contains(new_id)) remove_member(new_id, effects);
    count(subscription, +1);
    static_members_[*subscription.instance_id] = new_id;
    write(wire::ConsumerGroupMemberMetadataRecord{{id_, new_id}, subscription}, effects);
    if (target) {
        write(wire::ConsumerGroupTargetAssignmentMemberRecord{{id_, new_id}, target}, effects);
    }
    write_current(new_id, assignment, effects);
    if (asked_) asked_->outdated = true;
}

// True: the group's epoch has to follow.
bool ConsumerGroup::subscribe(const std::string& member_id, const ConsumerClient& client,
                              const Request& request, Effects& effects) {
    const auto found = stored_.members.find(member_id);
    Subscription after = found == stored_.members.end() ? Subscription{} : found->second;
    after.client_id = client.client_id;
    after.client_host = client.host;
    after.classic_member_metadata.reset();
    if (request.instance_id) after.instance_id = request.instance_id;
    if (request.rack_id) after.rack_id = request.rack_id;
    if (request.rebalance_timeout_ms != -1)
        after.rebalance_timeout_ms = std::max(request.rebalance_timeout_ms, 0);
    if (request.server_assignor) after.server_assignor = request.server_assignor;
    if (request.subscribed_topic_regex)
        after.subscribed_topic_regex = request.subscribed_topic_regex;
    if (request.subscribed_topic_names) {
        const std::set<std::string> names{request.subscribed_topic_names->begin(),
                                          request.subscribed_topic_names->end()};
        after.subscribed_topic_names.assign(names.begin(), names.end());
    }
    return put_subscription(member_id, std::move(after), effects);
}

bool ConsumerGroup::put_subscription(const std::string& member_id, Subscription after,
                                     Effects& effects) {
    const auto found = stored_.members.find(member_id);
    const bool is_new = found == stored_.members.end();
    const Subscription before = is_new ? Subscription{} : found->second;
    if (!is_new && after == before) return false;
    if (!is_new) count(before, -1);
    count(after, +1);
    if (before.instance_id && before.instance_id != after.instance_id)
        static_members_.erase(*before.instance_id);
    if (after.instance_id) static_members_[*after.instance_id] = member_id;
    write(wire::ConsumerGroupMemberMetadataRecord{{id_, member_id}, after}, effects);
    return is_new || after.subscribed_topic_names != before.subscribed_topic_names ||
           after.subscribed_topic_regex.value_or("") !=
               before.subscribed_topic_regex.value_or("") ||
           after.server_assignor != before.server_assignor;
}

void ConsumerGroup::reconcile(const std::string& member_id,
                              const std::optional<PartitionSet>& owned, Now now, Effects& effects) {
    const CurrentAssignment before = current(member_id);
    Target target{.epoch = stored_.assignment_epoch()};
    if (const auto found = stored_.targets.find(member_id); found != stored_.targets.end()) {
        target.partitions = partition_set(found->second.topic_partitions);
    }
    const CurrentAssignment after =
        next_assignment(before, target, owned, [&](const sdk::Uuid& topic, std::int32_t partition) {
            const auto holder = holders_.find({topic, partition});
            return holder == holders_.end() || holder->second == member_id;
        });
    if (after != before || !stored_.current.contains(member_id)) {
        write_current(member_id, after, effects);
    }
    touch(member_id, now);
    if (speaks_classic(member_id)) return;  // It has the times of joining and syncing.
    Timers timers = timers_[member_id];
    if (after.state != ConsumerState::unrevoked) {
        timers.step.reset();
    } else if (after != before || !timers.step) {
        timers.step = now.steady + milliseconds{stored_.members.at(member_id).rebalance_timeout_ms};
    }
    set_timers(member_id, timers);
}

}  // namespace leat::groups
