// How members go: by saying so, by silence, or by not giving back what they should.
#include <algorithm>

#include "core/groups/consumer_group.h"

namespace leat::groups {

wire::ConsumerGroupHeartbeatResponse ConsumerGroup::leave(const Request& request, Now now,
                                                          Effects& effects) {
    if (request.member_epoch == leaves_for_a_while) {
        CurrentAssignment assignment = current(request.member_id);
        assignment.epoch = leaves_for_a_while;
        assignment.revoking.clear();
        write_current(request.member_id, assignment, effects);
        Timers timers = timers_[request.member_id];
        timers.step.reset();
        set_timers(request.member_id, timers);
    } else {
        const bool was_classic = speaks_classic(request.member_id);
        remove_member(request.member_id, effects);
        members_left(!was_classic, now, effects);
    }
    return {.member_id = request.member_id, .member_epoch = request.member_epoch};
}

wire::LeaveGroupResponse ConsumerGroup::leave(const wire::LeaveGroupRequest& request, Now now,
                                              Effects& effects) {
    wire::LeaveGroupResponse response;
    bool anybody = false;
    bool any_classic = false;
    for (const auto& member : request.members) {
        auto& answer = response.members.emplace_back();
        answer.member_id = member.member_id;
        answer.group_instance_id = member.group_instance_id;
        const std::string member_id = member.group_instance_id
                                          ? static_member(member.group_instance_id).value_or("")
                                          : member.member_id;
        if (!stored_.members.contains(member_id)) {
            answer.error_code = Error::unknown_member_id;
        } else if (!member.member_id.empty() && member.member_id != member_id) {
            answer.error_code = Error::fenced_instance_id;
        } else {
            any_classic = any_classic || speaks_classic(member_id);
            remove_member(member_id, effects);
            anybody = true;
        }
    }
    if (anybody) members_left(!any_classic, now, effects);
    return response;
}

void ConsumerGroup::remove_member(const std::string& member_id, Effects& effects) {
    const Subscription subscription = stored_.members.at(member_id);
    if (const auto waiting = joining_.extract(member_id); !waiting.empty()) {
        effects.answers.push_back(
            {waiting.mapped().ticket,
             wire::JoinGroupResponse{.error_code = Error::unknown_member_id}});
    }
    let_go(member_id);
    forget_timers(member_id);
    count(subscription, -1);
    if (subscription.instance_id) static_members_.erase(*subscription.instance_id);
    write(wire::ConsumerGroupCurrentMemberAssignmentRecord{{id_, member_id}, std::nullopt},
          effects);
    write(wire::ConsumerGroupTargetAssignmentMemberRecord{{id_, member_id}, std::nullopt}, effects);
    write(wire::ConsumerGroupMemberMetadataRecord{{id_, member_id}, std::nullopt}, effects);
}

// Not when a classic member went, as in Kafka: then the last of the others was kept by the policy.
void ConsumerGroup::members_left(bool may_become_classic, Now now, Effects& effects) {
    if (may_become_classic && become_classic(now, effects)) return;
    drop_unused_patterns(effects);
    bump(effects);
    if (is_empty()) {
        write(
            wire::ConsumerGroupTargetAssignmentMetadataRecord{
                {id_},
                wire::ConsumerGroupTargetAssignmentMetadataValue{
                    .assignment_epoch = stored_.epoch(), .assignment_timestamp = now.wall.value}},
            effects);
    }
    ask_for_target(effects);
}

void ConsumerGroup::tick(Now now, Effects& effects) {
    bool anybody = false;
    bool any_consumer = false;
    while (!deadlines_.empty() && deadlines_.begin()->first <= now.steady) {
        const std::string member_id = deadlines_.begin()->second;
        if (joining_.contains(member_id)) {  // It waits for the group, not the group for it.
            Timers timers{.session = now.steady + session_timeout(member_id)};
            set_timers(member_id, timers);
            continue;
        }
        const bool silent = timers_[member_id].session <= now.steady;
        effects.notes.push_back("group " + id_ + ": member " + member_id +
                                (silent ? " was not heard of for its session"
                                        : " did not take its step of the rebalance in time"));
        any_consumer = any_consumer || !speaks_classic(member_id);
        remove_member(member_id, effects);
        anybody = true;
    }
    if (anybody) members_left(any_consumer, now, effects);
}

std::optional<sdk::Instant> ConsumerGroup::next_deadline() const {
    if (deadlines_.empty()) return std::nullopt;
    return deadlines_.begin()->first;
}

void ConsumerGroup::touch(const std::string& member_id, Now now) {
    Timers timers = timers_[member_id];
    timers.session = now.steady + session_timeout(member_id);
    set_timers(member_id, timers);
}

void ConsumerGroup::set_timers(const std::string& member_id, Timers timers) {
    const auto first = [](const Timers& of) {
        return of.step ? std::min(*of.step, of.session) : of.session;
    };
    Timers& known = timers_[member_id];
    deadlines_.erase({first(known), member_id});
    known = timers;
    deadlines_.emplace(first(known), member_id);
}

void ConsumerGroup::forget_timers(const std::string& member_id) {
    const auto known = timers_.find(member_id);
    if (known == timers_.end()) return;
    deadlines_.erase({known->second.session, member_id});
    if (known->second.step) deadlines_.erase({*known->second.step, member_id});
    timers_.erase(known);
}

void ConsumerGroup::write_current(const std::string& member_id, const CurrentAssignment& assignment,
                                  Effects& effects) {
    let_go(member_id);
    write(wire::ConsumerGroupCurrentMemberAssignmentRecord{{id_, member_id},
                                                           assignment.stored_form()},
          effects);
    hold(member_id);
}

void ConsumerGroup::hold(const std::string& member_id) {
    const auto& assignment = stored_.current.at(member_id);
    for (const auto* held :
         {&assignment.assigned_partitions, &assignment.partitions_pending_revocation}) {
        for (const auto& topic : *held) {
            for (const std::int32_t partition : topic.partitions) {
                holders_.insert_or_assign({topic.topic_id, partition}, member_id);
            }
        }
    }
}

void ConsumerGroup::let_go(const std::string& member_id) {
    const auto found = stored_.current.find(member_id);
    if (found == stored_.current.end()) return;
    for (const auto* held :
         {&found->second.assigned_partitions, &found->second.partitions_pending_revocation}) {
        for (const auto& topic : *held) {
            for (const std::int32_t partition : topic.partitions) {
                const auto holder = holders_.find({topic.topic_id, partition});
                if (holder != holders_.end() && holder->second == member_id) holders_.erase(holder);
            }
        }
    }
}

}  // namespace leat::groups
