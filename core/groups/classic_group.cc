#include "core/groups/classic_group.h"

#include <algorithm>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::groups {

using std::chrono::milliseconds;

std::string_view name_of(ClassicState state) {
    switch (state) {
        case ClassicState::empty:
            return "Empty";
        case ClassicState::preparing_rebalance:
            return "PreparingRebalance";
        case ClassicState::completing_rebalance:
            return "CompletingRebalance";
        case ClassicState::stable:
            return "Stable";
    }
    return "Dead";
}

ClassicGroup::ClassicGroup(std::string id, const GroupLimits& limits, MakeId make_id)
    : id_{std::move(id)}, limits_{limits}, make_id_{std::move(make_id)} {}

ClassicGroup::ClassicGroup(std::string id, const GroupLimits& limits, MakeId make_id,
                           const wire::GroupMetadataValue& stored, sdk::Instant now)
    : ClassicGroup{std::move(id), limits, std::move(make_id)} {
    generation_ = stored.generation;
    protocol_type_ = stored.protocol_type;
    protocol_ = stored.protocol;
    leader_ = stored.leader;
    state_since_ = sdk::Timestamp{stored.current_state_timestamp};
    state_ = stored.members.empty() ? ClassicState::empty : ClassicState::stable;
    for (const auto& member : stored.members) {
        ClassicMember kept{.id = member.member_id,
                           .instance_id = member.group_instance_id,
                           .client_id = member.client_id,
                           .client_host = member.client_host,
                           .rebalance_timeout = milliseconds{member.rebalance_timeout},
                           .session_timeout = milliseconds{member.session_timeout},
                           .protocols = {{protocol_.value_or(""), member.subscription}},
                           .assignment = member.assignment};
        if (member.rebalance_timeout < 0) kept.rebalance_timeout = kept.session_timeout;
        kept.deadline = now + kept.session_timeout;
        if (kept.instance_id) static_members_[*kept.instance_id] = kept.id;
        members_.emplace(kept.id, std::move(kept));
    }
    if (leader_ && !members_.contains(*leader_)) leader_.reset();
    if (leader_ || members_.empty()) return;
    leader_ = members_.begin()->first;
    if (stored.leader) return;
    state_ = ClassicState::preparing_rebalance;
    join_deadline_ = now + rebalance_timeout();
}

wire::GroupMetadataValue ClassicGroup::stored_form() const {
    wire::GroupMetadataValue form{.protocol_type = protocol_type_,
                                  .generation = generation_,
                                  .protocol = protocol_,
                                  .leader = leader_,
                                  .current_state_timestamp = state_since_.value};
    for (const auto& [member_id, member] : members_) {
        form.members.push_back(
            {.member_id = member_id,
             .group_instance_id = member.instance_id,
             .client_id = member.client_id,
             .client_host = member.client_host,
             .rebalance_timeout = static_cast<std::int32_t>(member.rebalance_timeout.count()),
             .session_timeout = static_cast<std::int32_t>(member.session_timeout.count()),
             .subscription = member.metadata(protocol_.value_or("")),
             .assignment = member.assignment});
    }
    return form;
}

// What is stored fits a record or is not stored: then the assignment fails, as in Kafka.
void ClassicGroup::store(Now, Effects& effects) {
    effects.records.push_back(wire::GroupMetadataRecord{{id_}, stored_form()});
}

void ClassicGroup::enter(ClassicState state, Now now) {
    previous_state_ = state_;
    state_ = state;
    state_since_ = now.wall;
}

void ClassicGroup::touch(ClassicMember& member, Now now) const {
    member.deadline = now.steady + member.session_timeout;
}

bool ClassicGroup::supported_by_all(const std::string& protocol) const {
    return std::ranges::all_of(members_,
                               [&](const auto& entry) { return entry.second.supports(protocol); });
}

bool ClassicGroup::supports(const wire::JoinGroupRequest& request) const {
    if (request.protocols.empty() || request.protocol_type.empty()) return false;
    if (is_empty()) return true;
    return request.protocol_type == protocol_type_ &&
           std::ranges::any_of(request.protocols,
                               [&](const auto& p) { return supported_by_all(p.name); });
}

bool ClassicGroup::all_joined() const {
    return pending_.empty() && std::ranges::all_of(members_, [](const auto& entry) {
               return entry.second.joining.has_value();
           });
}

// Each member votes for the first of its protocols that all support. The most votes win.
std::string ClassicGroup::select_protocol() const {
    std::map<std::string, std::size_t> votes;
    for (const auto& [id, member] : members_) {
        const auto choice = std::ranges::find_if(
            member.protocols, [&](const auto& p) { return supported_by_all(p.name); });
        sdk::ensure(choice != member.protocols.end(), "members have a protocol in common");
        ++votes[choice->name];
    }
    return std::ranges::max_element(votes, {}, [](const auto& entry) { return entry.second; })
        ->first;
}

std::string ClassicGroup::agreed_protocol() const {
    return protocol_ && supported_by_all(*protocol_) ? *protocol_ : select_protocol();
}

milliseconds ClassicGroup::rebalance_timeout() const {
    milliseconds longest{0};
    for (const auto& [id, member] : members_) {
        longest = std::max(longest, member.rebalance_timeout);
    }
    return longest;
}

std::optional<std::string> ClassicGroup::static_member(
    const std::optional<std::string>& instance) const {
    if (!instance) return std::nullopt;
    const auto found = static_members_.find(*instance);
    if (found == static_members_.end()) return std::nullopt;
    return found->second;
}

wire::ErrorCode ClassicGroup::check_member(const std::string& member_id,
                                           const std::optional<std::string>& instance_id) const {
    if (instance_id) {
        const auto holder = static_member(instance_id);
        if (!holder) return Error::unknown_member_id;
        if (*holder != member_id) return Error::fenced_instance_id;
    }
    return members_.contains(member_id) ? Error::none : Error::unknown_member_id;
}

void ClassicGroup::remove(const std::string& member_id, Effects& effects) {
    pending_.erase(member_id);
    const auto found = members_.find(member_id);
    if (found == members_.end()) return;
    ClassicMember& member = found->second;
    if (member.joining) refuse(*member.joining, "", Error::unknown_member_id, effects);
    if (member.syncing) {
        effects.answers.push_back(
            {*member.syncing, wire::SyncGroupResponse{.error_code = Error::unknown_member_id}});
    }
    if (static_member(member.instance_id) == member_id) static_members_.erase(*member.instance_id);
    members_.erase(found);
    if (leader_ == member_id) {
        leader_.reset();
        if (!members_.empty()) leader_ = members_.begin()->first;
    }
}

wire::JoinGroupResponse ClassicGroup::generation_for(const ClassicMember& member) const {
    wire::JoinGroupResponse response{.generation_id = generation_,
                                     .protocol_type = protocol_type_,
                                     .protocol_name = protocol_,
                                     .leader = leader_.value_or(""),
                                     .member_id = member.id};
    if (leader_ != member.id) return response;
    for (const auto& [id, each] : members_) {
        response.members.push_back({.member_id = id,
                                    .group_instance_id = each.instance_id,
                                    .metadata = each.metadata(protocol_.value_or(""))});
    }
    return response;
}

void ClassicGroup::refuse(Ticket ticket, std::string member_id, Error error, Effects& effects) {
    effects.answers.push_back(
        {ticket, wire::JoinGroupResponse{.error_code = error, .member_id = std::move(member_id)}});
}

std::optional<sdk::Instant> ClassicGroup::next_deadline() const {
    std::optional<sdk::Instant> next;
    const auto consider = [&next](const std::optional<sdk::Instant>& at) {
        if (at && (!next || *at < *next)) next = at;
    };
    consider(join_deadline_);
    consider(sync_deadline_);
    for (const auto& [id, until] : pending_) consider(until);
    for (const auto& [id, member] : members_) consider(member.deadline);
    return next;
}

}  // namespace leat::groups
