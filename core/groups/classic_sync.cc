#include <utility>

#include "core/groups/classic_group.h"

namespace leat::groups {

void ClassicGroup::sync(Ticket ticket, const wire::SyncGroupRequest& request, Now now,
                        Effects& effects) {
    const auto refused = [&](Error error) {
        effects.answers.push_back({ticket, wire::SyncGroupResponse{.error_code = error}});
    };
    if (is_empty()) return refused(Error::unknown_member_id);
    const Error error = check_member(request.member_id, request.group_instance_id);
    if (error != Error::none) return refused(error);
    if (request.generation_id != generation_) return refused(Error::illegal_generation);
    if ((request.protocol_type && *request.protocol_type != protocol_type_) ||
        (request.protocol_name && request.protocol_name != protocol_)) {
        return refused(Error::inconsistent_group_protocol);
    }
    if (state_ == ClassicState::preparing_rebalance) return refused(Error::rebalance_in_progress);
    ClassicMember& member = members_.at(request.member_id);
    if (state_ == ClassicState::stable) {
        member.sync_due = false;
        touch(member, now);
        effects.answers.push_back(
            {ticket, wire::SyncGroupResponse{.protocol_type = protocol_type_,
                                             .protocol_name = protocol_,
                                             .assignment = member.assignment}});
        return;
    }
    if (member.syncing) {  // Its earlier request, from a connection that it has given up.
        effects.answers.push_back(
            {*member.syncing, wire::SyncGroupResponse{.error_code = Error::rebalance_in_progress}});
    }
    member.syncing = ticket;
    member.sync_due = false;
    if (leader_ == member.id) assign(request, now, effects);
}

void ClassicGroup::answer_syncs(Error error, Now now, Effects& effects) {
    for (auto& [id, member] : members_) {
        const auto ticket = std::exchange(member.syncing, std::nullopt);
        if (!ticket) continue;
        touch(member, now);
        wire::SyncGroupResponse response{.error_code = error};
        if (error == Error::none) {
            response.protocol_type = protocol_type_;
            response.protocol_name = protocol_;
            response.assignment = member.assignment;
        }
        effects.answers.push_back({*ticket, std::move(response)});
    }
}

wire::HeartbeatResponse ClassicGroup::heartbeat(const wire::HeartbeatRequest& request, Now now) {
    const Error error = check_member(request.member_id, request.group_instance_id);
    if (error != Error::none) return {.error_code = error};
    if (request.generation_id != generation_) return {.error_code = Error::illegal_generation};
    touch(members_.at(request.member_id), now);
    if (state_ == ClassicState::preparing_rebalance) {
        return {.error_code = Error::rebalance_in_progress};
    }
    return {};
}

wire::LeaveGroupResponse ClassicGroup::leave(const wire::LeaveGroupRequest& request, Now now,
                                             Effects& effects) {
    wire::LeaveGroupResponse response;
    std::string left;
    for (const auto& asked : request.members) {
        std::string member_id = asked.member_id;
        Error error = Error::none;
        if (member_id.empty()) {  // An administrator removes a static member by its name.
            const auto holder = static_member(asked.group_instance_id);
            error = holder ? Error::none : Error::unknown_member_id;
            member_id = holder.value_or("");
        } else if (!pending_.contains(member_id)) {
            error = check_member(member_id, asked.group_instance_id);
        }
        response.members.push_back({.member_id = asked.member_id,
                                    .group_instance_id = asked.group_instance_id,
                                    .error_code = error});
        if (error != Error::none) continue;
        remove(member_id, effects);
        left += (left.empty() ? "" : ", ") + member_id +
                (asked.reason ? " (" + *asked.reason + ")" : std::string{});
    }
    if (!left.empty() && !is_empty()) rebalance_or_complete(left + " left", now, effects);
    return response;
}

void ClassicGroup::send_away(Now now, Effects& effects) {
    for (auto& [id, member] : members_) {
        if (const auto ticket = std::exchange(member.joining, std::nullopt))
            refuse(*ticket, id, Error::rebalance_in_progress, effects);
    }
    answer_syncs(Error::rebalance_in_progress, now, effects);
}

wire::ErrorCode ClassicGroup::begin_commit(const Committer& who, Now now) {
    if (who.generation < 0 && is_empty()) return Error::none;
    if (who.generation < 0 && who.member_id.empty() && !who.instance_id) {
        return Error::unknown_member_id;  // Somebody outside the group, which has members.
    }
    const Error error = check_member(who.member_id, who.instance_id);
    if (error != Error::none) return error;
    if (who.generation != generation_) return Error::illegal_generation;
    touch(members_.at(who.member_id), now);
    return state_ == ClassicState::completing_rebalance ? Error::rebalance_in_progress
                                                        : Error::none;
}

}  // namespace leat::groups
