#include <utility>

#include "core/groups/classic_group.h"

namespace leat::groups {

using std::chrono::milliseconds;

namespace {

std::string why(const wire::JoinGroupRequest& request) {
    return request.reason && !request.reason->empty() ? "; the client says: " + *request.reason
                                                      : std::string{};
}

}  // namespace

// Counted are those who wait for the next generation while it is prepared: a group that has shrunk
// its limit lets go of those who come back last.
bool ClassicGroup::accepts(const std::string& member_id) const {
    const auto found = members_.find(member_id);
    std::size_t count = members_.size() + pending_.size();
    switch (state_) {
        case ClassicState::empty:
            break;
        case ClassicState::preparing_rebalance:
            if (found != members_.end() && found->second.joining) return true;
            count = pending_.size();
            for (const auto& [id, member] : members_) count += member.joining ? 1 : 0;
            break;
        case ClassicState::completing_rebalance:
        case ClassicState::stable:
            if (found != members_.end()) return true;
            break;
    }
    if (pending_.contains(member_id)) --count;  // It takes the place that it had reserved.
    return count < std::size_t(limits_.most_members);
}

void ClassicGroup::join(Ticket ticket, const JoiningClient& client,
                        const wire::JoinGroupRequest& request, Now now, Effects& effects) {
    if (!accepts(request.member_id)) {
        remove(request.member_id, effects);
        return refuse(ticket, "", Error::group_max_size_reached, effects);
    }
    if (!supports(request)) {
        return refuse(ticket, request.member_id, Error::inconsistent_group_protocol, effects);
    }
    std::size_t bytes = 0;
    for (const auto& protocol : request.protocols) bytes += protocol.metadata.size();
    for (const auto& [id, member] : members_) bytes += id == request.member_id ? 0 : member.bytes();
    if (bytes > limits_.most_group_bytes) {
        return refuse(ticket, request.member_id, Error::group_max_size_reached, effects);
    }
    if (request.member_id.empty()) return join_new(ticket, client, request, now, effects);
    join_again(ticket, client, request, now, effects);
}

void ClassicGroup::join_new(Ticket ticket, const JoiningClient& client,
                            const wire::JoinGroupRequest& request, Now now, Effects& effects) {
    std::string member_id = request.group_instance_id.value_or(client.client_id) + "-" + make_id_();
    if (request.group_instance_id) {
        const auto old_id = static_member(request.group_instance_id);
        if (old_id) {
            return join_as_static(ticket, client, request, *old_id, std::move(member_id), now,
                                  effects);
        }
    } else if (client.must_bring_id) {
        // Without this, each retry of a client that lost its answer would be one more member.
        pending_[member_id] = now.steady + milliseconds{request.session_timeout_ms};
        return refuse(ticket, std::move(member_id), Error::member_id_required, effects);
    }
    add(ticket, client, request, std::move(member_id), now, effects);
}

void ClassicGroup::join_again(Ticket ticket, const JoiningClient& client,
                              const wire::JoinGroupRequest& request, Now now, Effects& effects) {
    if (pending_.contains(request.member_id)) {
        if (request.group_instance_id) {  // Only dynamic members are given an id beforehand.
            return refuse(ticket, request.member_id, Error::unknown_member_id, effects);
        }
        return add(ticket, client, request, request.member_id, now, effects);
    }
    const Error error = check_member(request.member_id, request.group_instance_id);
    if (error != Error::none) return refuse(ticket, request.member_id, error, effects);
    rejoin(ticket, members_.at(request.member_id), request, now, effects);
}

// The leader may ask for a rebalance without any change, because it sees what the broker does not:
// topics that have grown.
void ClassicGroup::rejoin(Ticket ticket, ClassicMember& member,
                          const wire::JoinGroupRequest& request, Now now, Effects& effects) {
    const bool unchanged = member.protocols == request.protocols;
    const bool leads = leader_ == member.id;
    const bool knows_all = unchanged && (state_ == ClassicState::completing_rebalance ||
                                         (state_ == ClassicState::stable && !leads));
    if (knows_all) {  // It has lost its answer, probably.
        effects.answers.push_back({ticket, generation_for(member)});
        return;
    }
    update(ticket, member, request, effects);
    rebalance_or_complete("member " + member.id + " joined again" +
                              (unchanged ? "" : " with other metadata") + why(request),
                          now, effects);
}

void ClassicGroup::add(Ticket ticket, const JoiningClient& client,
                       const wire::JoinGroupRequest& request, std::string member_id, Now now,
                       Effects& effects) {
    if (state_ == ClassicState::preparing_rebalance && initial_) member_added_ = true;
    if (members_.empty()) protocol_type_ = request.protocol_type;
    ClassicMember member{.id = member_id,
                         .instance_id = request.group_instance_id,
                         .client_id = client.client_id,
                         .client_host = client.host,
                         .is_new = true,
                         .deadline = now.steady + limits_.new_member_join_timeout};
    if (member.instance_id) static_members_[*member.instance_id] = member_id;
    if (!leader_) leader_ = member_id;
    pending_.erase(member_id);
    ClassicMember& added = members_.emplace(member_id, std::move(member)).first->second;
    update(ticket, added, request, effects);
    rebalance_or_complete("member " + member_id + " joined" + why(request), now, effects);
}

void ClassicGroup::update(Ticket ticket, ClassicMember& member,
                          const wire::JoinGroupRequest& request, Effects& effects) {
    if (member.joining) {  // Its earlier request, from a connection that it has given up.
        refuse(*member.joining, member.id, Error::rebalance_in_progress, effects);
    }
    member.joining = ticket;
    member.protocols = request.protocols;
    member.session_timeout = milliseconds{request.session_timeout_ms};
    member.rebalance_timeout = request.rebalance_timeout_ms < 0
                                   ? member.session_timeout
                                   : milliseconds{request.rebalance_timeout_ms};
}

ClassicMember& ClassicGroup::replace(const std::string& old_id, std::string new_id,
                                     Effects& effects) {
    auto node = members_.extract(old_id);
    ClassicMember& member = node.mapped();
    if (const auto joining = std::exchange(member.joining, std::nullopt)) {
        refuse(*joining, old_id, Error::fenced_instance_id, effects);
    }
    if (const auto syncing = std::exchange(member.syncing, std::nullopt)) {
        effects.answers.push_back(
            {*syncing, wire::SyncGroupResponse{.error_code = Error::fenced_instance_id}});
    }
    if (leader_ == old_id) leader_ = new_id;
    member.id = new_id;
    member.sync_due = false;
    static_members_[*member.instance_id] = new_id;
    node.key() = std::move(new_id);
    return members_.insert(std::move(node)).position->second;
}

// A static member came back under a new id: its restart is nobody's business, unless it changes
// what the group agreed upon.
void ClassicGroup::join_as_static(Ticket ticket, const JoiningClient& client,
                                  const wire::JoinGroupRequest& request, const std::string& old_id,
                                  std::string new_id, Now now, Effects& effects) {
    const std::string old_leader = leader_.value_or("");
    ClassicMember& member = replace(old_id, std::move(new_id), effects);
    touch(member, now);
    update(ticket, member, request, effects);
    const std::string reason =
        "static member " + *request.group_instance_id + " came back" + why(request);
    switch (state_) {
        case ClassicState::stable:
            if (protocol_ == select_protocol()) {
                return keep_static(member, client.skips_assignment, old_leader, now, effects);
            }
            return rebalance_or_complete(reason, now, effects);
        case ClassicState::completing_rebalance:
            // The leader may be assigning to the old id.
            return prepare_rebalance(reason, now, effects);
        default:
            return complete_if_all_joined(now, effects);
    }
}

// A client that cannot skip its assignment must not learn that it leads: it would assign, and its
// SyncGroup would be ignored.
void ClassicGroup::keep_static(ClassicMember& member, bool skips_assignment,
                               const std::string& old_leader, Now now, Effects& effects) {
    wire::JoinGroupResponse response = generation_for(member);
    if (skips_assignment) {
        response.skip_assignment = leader_ == member.id;
    } else {
        response.leader = old_leader;
        response.members.clear();
    }
    effects.answers.push_back({*std::exchange(member.joining, std::nullopt), std::move(response)});
    store(now, effects);
}

}  // namespace leat::groups
