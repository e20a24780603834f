// How a generation gets its assignment: the leader's, or that of the assignor that the operator
// named for the group.
#include <utility>

#include "core/groups/classic_group.h"
#include "core/groups/consumer_assignment.h"

namespace leat::groups {

// While an assignor is asked, members wait as they do for the leader.
void ClassicGroup::assign(const wire::SyncGroupRequest& request, Now now, Effects& effects) {
    if (asked_) return;  // The leader, from another connection.
    const std::string assignor = limits_.assignor_for ? limits_.assignor_for(id_) : std::string{};
    auto input = assignor.empty() ? std::nullopt : assignor_input(*this, request.assignments);
    if (!input) return settle(request.assignments, now, effects);
    asked_ = request.assignments;
    effects.assignments.push_back({.group = id_,
                                   .number = static_cast<std::uint64_t>(generation_),
                                   .assignor = assignor,
                                   .input = std::move(*input)});
}

void ClassicGroup::assigned(const AssignmentOutcome& outcome, Now now, Effects& effects) {
    if (!asked_ || outcome.number != static_cast<std::uint64_t>(generation_)) return;
    // A group may have been deleted and made again since, and be in the same generation.
    if (outcome.input.members.size() != members_.size()) return;
    for (const auto& member : outcome.input.members) {
        if (!members_.contains(member.id)) return;
    }
    const auto by_leader = *std::exchange(asked_, std::nullopt);
    if (!outcome.assignment) {
        effects.notes.push_back("group " + id_ + " has its leader's assignment, generation " +
                                std::to_string(generation_) + ": " +
                                outcome.assignment.error().what);
        return settle(by_leader, now, effects);
    }
    const auto given = told_to_members(*this, outcome.input, *outcome.assignment);
    effects.notes.push_back("group " + id_ + " is assigned by " + outcome.by + ", generation " +
                            std::to_string(generation_) +
                            (given.withheld == 0 ? std::string{}
                                                 : "; " + std::to_string(given.withheld) +
                                                       " partitions wait for who holds them"));
    settle(given.assignments, now, effects);
}

// Everybody's answer leaves when the record is committed: the driver sees to that.
void ClassicGroup::settle(const decltype(wire::SyncGroupRequest::assignments)& assignments, Now now,
                          Effects& effects) {
    for (auto& [id, member] : members_) member.assignment.clear();
    for (const auto& given : assignments) {
        const auto member = members_.find(given.member_id);
        if (member != members_.end()) member->second.assignment = given.assignment;
    }
    std::size_t bytes = 0;
    for (const auto& [id, member] : members_) {
        bytes += member.bytes() - id.size();
        for (const auto& protocol : member.protocols) {
            if (protocol.name != protocol_)
                bytes -= protocol.name.size() + protocol.metadata.size();
        }
    }
    if (bytes > limits_.most_record_bytes) {
        effects.notes.push_back("group " + id_ + ": its members and their assignments come to " +
                                std::to_string(bytes) + " bytes, which no record may have");
        for (auto& [id, member] : members_) member.assignment.clear();
        answer_syncs(Error::unknown_server_error, now, effects);
        return prepare_rebalance("the assignment could not be stored", now, effects);
    }
    enter(ClassicState::stable, now);
    store(now, effects);
    answer_syncs(Error::none, now, effects);
}

}  // namespace leat::groups
