#include <algorithm>
#include <utility>

#include "core/groups/classic_group.h"
#include "leat/sdk/ensure.h"

namespace leat::groups {

using std::chrono::milliseconds;

void ClassicGroup::rebalance_or_complete(std::string_view reason, Now now, Effects& effects) {
    if (state_ == ClassicState::preparing_rebalance) return complete_if_all_joined(now, effects);
    prepare_rebalance(reason, now, effects);
}

void ClassicGroup::prepare_rebalance(std::string_view reason, Now now, Effects& effects) {
    asked_.reset();
    // Assignments stay: members still hold what they were last given.
    if (state_ == ClassicState::completing_rebalance) {
        answer_syncs(Error::rebalance_in_progress, now, effects);
    }
    for (auto& [id, member] : members_) member.sync_due = false;
    sync_deadline_.reset();
    initial_ = is_empty();
    enter(ClassicState::preparing_rebalance, now);
    effects.notes.push_back("group " + id_ + " prepares to rebalance, generation " +
                            std::to_string(generation_) + ": " + std::string{reason});
    if (!initial_) {
        if (all_joined()) return complete_join(now, effects);
        join_deadline_ = now.steady + rebalance_timeout();
        return;
    }
    // Others are about to join as well: one generation for them all is better than one for each.
    const auto delay = limits_.initial_rebalance_delay;
    member_added_ = false;
    initial_remaining_ = std::max(rebalance_timeout() - delay, milliseconds{0});
    join_deadline_ = now.steady + delay;
}

void ClassicGroup::initial_delay_passed(Now now, Effects& effects) {
    const auto more = std::min(limits_.initial_rebalance_delay, initial_remaining_);
    if (!member_added_ || more.count() == 0) return complete_join(now, effects);
    member_added_ = false;
    initial_remaining_ -= more;
    join_deadline_ = now.steady + more;
}

void ClassicGroup::complete_if_all_joined(Now now, Effects& effects) {
    if (state_ != ClassicState::preparing_rebalance || initial_ || !all_joined()) return;
    complete_join(now, effects);
}

// The leader stays if it came back. False: nobody did.
bool ClassicGroup::elect_joined_leader() {
    if (!leader_) return false;
    const auto leader = members_.find(*leader_);
    if (leader != members_.end() && leader->second.joining) return true;
    const auto joined = std::ranges::find_if(
        members_, [](const auto& entry) { return entry.second.joining.has_value(); });
    if (joined == members_.end()) return false;
    leader_ = joined->first;
    return true;
}

// Dynamic members that did not come back in time are out. Static ones stay until their session
// ends: that is what they are for.
void ClassicGroup::complete_join(Now now, Effects& effects) {
    join_deadline_.reset();
    initial_ = false;
    std::vector<std::string> late;
    for (const auto& [id, member] : members_) {
        if (!member.joining && !member.instance_id) late.push_back(id);
    }
    for (const std::string& id : late) {
        remove(id, effects);
        effects.notes.push_back("group " + id_ + " lets go of " + id +
                                ", which did not join again in time");
    }
    if (!elect_joined_leader() && !members_.empty()) {
        join_deadline_ = now.steady + rebalance_timeout();
        return;
    }
    begin_generation(now, effects);
}

void ClassicGroup::begin_generation(Now now, Effects& effects) {
    ++generation_;
    if (members_.empty()) {
        protocol_.reset();
        leader_.reset();
        enter(ClassicState::empty, now);
        effects.notes.push_back("group " + id_ + " is empty, generation " +
                                std::to_string(generation_));
        return store(now, effects);
    }
    protocol_ = select_protocol();
    enter(ClassicState::completing_rebalance, now);
    effects.notes.push_back("group " + id_ + " has generation " + std::to_string(generation_) +
                            " with " + std::to_string(members_.size()) + " members");
    for (auto& [id, member] : members_) {
        member.sync_due = true;
        touch(member, now);
        member.is_new = false;
        const auto ticket = std::exchange(member.joining, std::nullopt);
        if (ticket) effects.answers.push_back({*ticket, generation_for(member)});
    }
    sync_deadline_ = now.steady + rebalance_timeout();
}

void ClassicGroup::sync_time_passed(Now now, Effects& effects) {
    sync_deadline_.reset();
    std::vector<std::string> silent;
    for (const auto& [id, member] : members_) {
        if (member.sync_due) silent.push_back(id);
    }
    if (silent.empty()) return;
    for (const std::string& id : silent) remove(id, effects);
    prepare_rebalance(std::to_string(silent.size()) + " members did not sync in time", now,
                      effects);
}

void ClassicGroup::member_expired(const std::string& member_id, Now now, Effects& effects) {
    if (pending_.erase(member_id) > 0) return complete_if_all_joined(now, effects);
    const auto found = members_.find(member_id);
    if (found == members_.end()) return;
    ClassicMember& member = found->second;
    if (!member.is_new && member.awaits()) {
        member.deadline.reset();  // It waits for the group, not the group for it.
        return;
    }
    effects.notes.push_back("group " + id_ + " lets go of " + member_id + ", which went silent");
    remove(member_id, effects);
    if (state_ == ClassicState::preparing_rebalance) return complete_if_all_joined(now, effects);
    if (state_ != ClassicState::empty) {
        prepare_rebalance("member " + member_id + " went silent", now, effects);
    }
}

void ClassicGroup::tick(Now now, Effects& effects) {
    std::vector<std::string> expired;
    for (const auto& [id, until] : pending_) {
        if (until <= now.steady) expired.push_back(id);
    }
    for (const auto& [id, member] : members_) {
        if (member.deadline && *member.deadline <= now.steady) expired.push_back(id);
    }
    for (const std::string& id : expired) member_expired(id, now, effects);
    if (join_deadline_ && *join_deadline_ <= now.steady) {
        initial_ ? initial_delay_passed(now, effects) : complete_join(now, effects);
    }
    if (sync_deadline_ && *sync_deadline_ <= now.steady) sync_time_passed(now, effects);
}

}  // namespace leat::groups
