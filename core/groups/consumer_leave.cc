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
        timers.revocation.reset();
        set_timers(request.member_id, timers);
    } else {
        remove_member(request.member_id, effects);
        members_left(now, effects);
    }
    return {.member_id = request.member_id, .member_epoch = request.member_epoch};
}

wire::LeaveGroupResponse ConsumerGroup::leave(const wire::LeaveGroupRequest& request, Now now,
                                              Effects& effects) {
    wire::LeaveGroupResponse response;
    bool anybody = false;
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
            remove_member(member_id, effects);
            anybody = true;
        }
    }
    if (anybody) members_left(now, effects);
    return response;
}

void ConsumerGroup::remove_member(const std::string& member_id, Effects& effects) {
    const Subscription subscription = stored_.members.at(member_id);
    let_go(member_id);
    forget_timers(member_id);
    count(subscription, -1);
    if (subscription.instance_id) static_members_.erase(*subscription.instance_id);
    write(wire::ConsumerGroupCurrentMemberAssignmentRecord{{id_, member_id}, std::nullopt},
          effects);
    write(wire::ConsumerGroupTargetAssignmentMemberRecord{{id_, member_id}, std::nullopt}, effects);
    write(wire::ConsumerGroupMemberMetadataRecord{{id_, member_id}, std::nullopt}, effects);
}

void ConsumerGroup::members_left(Now now, Effects& effects) {
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
    while (!deadlines_.empty() && deadlines_.begin()->first <= now.steady) {
        const std::string member_id = deadlines_.begin()->second;
        const bool silent = timers_[member_id].session <= now.steady;
        effects.notes.push_back("group " + id_ + ": member " + member_id +
                                (silent ? " was not heard of for its session"
                                        : " did not give back its partitions in time"));
        remove_member(member_id, effects);
        anybody = true;
    }
    if (anybody) members_left(now, effects);
}

std::optional<sdk::Instant> ConsumerGroup::next_deadline() const {
    if (deadlines_.empty()) return std::nullopt;
    return deadlines_.begin()->first;
}

void ConsumerGroup::touch(const std::string& member_id, Now now) {
    Timers timers = timers_[member_id];
    timers.session = now.steady + around_->limits.consumer_session_timeout;
    set_timers(member_id, timers);
}

void ConsumerGroup::set_timers(const std::string& member_id, Timers timers) {
    const auto first = [](const Timers& of) {
        return of.revocation ? std::min(*of.revocation, of.session) : of.session;
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
    if (known->second.revocation) deadlines_.erase({*known->second.revocation, member_id});
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
