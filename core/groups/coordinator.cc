#include "core/groups/coordinator.h"

#include <algorithm>
#include <cctype>
#include <chrono>

namespace leat::groups {

using std::chrono::milliseconds;

Coordinator::Coordinator(const GroupLimits& limits, MakeId make_id, ImageOf image)
    : limits_{limits}, make_id_{make_id}, around_{limits, std::move(make_id), std::move(image)} {}

void Coordinator::loaded(Now now) {
    for (const auto& [id, group] : durable_.all()) {
        // A log that ends in the midst of a change may have both.
        if (group.consumer.metadata || (!group.classic && !group.consumer.empty())) {
            ConsumerGroup stored{id, around_, group.consumer, now};
            schedule(consumers_.emplace(id, std::move(stored)).first->second);
            continue;
        }
        ClassicGroup made = group.classic
                                ? ClassicGroup{id, limits_, make_id_, *group.classic, now.steady}
                                : ClassicGroup{id, limits_, make_id_};
        schedule(groups_.emplace(id, std::move(made)).first->second);
    }
}

ClassicGroup* Coordinator::find(const std::string& group) {
    const auto found = groups_.find(group);
    return found == groups_.end() ? nullptr : &found->second;
}

const ClassicGroup* Coordinator::find(const std::string& group) const {
    const auto found = groups_.find(group);
    return found == groups_.end() ? nullptr : &found->second;
}

ClassicGroup& Coordinator::make(const std::string& group) {
    return groups_.emplace(group, ClassicGroup{group, limits_, make_id_}).first->second;
}

ConsumerGroup* Coordinator::find_consumer(const std::string& group) {
    const auto found = consumers_.find(group);
    return found == consumers_.end() ? nullptr : &found->second;
}

const ConsumerGroup* Coordinator::find_consumer(const std::string& group) const {
    const auto found = consumers_.find(group);
    return found == consumers_.end() ? nullptr : &found->second;
}

template <class Group>
void Coordinator::schedule(const Group& group) {
    const auto next = group.next_deadline();
    const auto known = scheduled_.find(group.id());
    if (!next || (known != scheduled_.end() && known->second <= *next)) return;
    if (known != scheduled_.end()) deadlines_.erase({known->second, group.id()});
    deadlines_.emplace(*next, group.id());
    scheduled_.insert_or_assign(group.id(), *next);
}

std::optional<sdk::Instant> Coordinator::next_deadline() const {
    if (deadlines_.empty()) return std::nullopt;
    return deadlines_.begin()->first;
}

void Coordinator::tick(Now now, Effects& effects) {
    while (!deadlines_.empty() && deadlines_.begin()->first <= now.steady) {
        const std::string id = deadlines_.begin()->second;
        deadlines_.erase(deadlines_.begin());
        scheduled_.erase(id);
        if (ClassicGroup* group = find(id)) {
            group->tick(now, effects);
            schedule(*group);
        } else if (ConsumerGroup* consumer = find_consumer(id)) {
            consumer->tick(now, effects);
            keep(*consumer, now, effects);
        }
    }
}

namespace {

bool fits_records(const wire::JoinGroupRequest& request) {
    return request.group_id.size() <= most_string_bytes &&
           request.member_id.size() <= most_string_bytes &&
           request.protocol_type.size() <= most_string_bytes &&
           request.group_instance_id.value_or("").size() <= most_instance_id_bytes &&
           std::ranges::all_of(request.protocols, [](const auto& protocol) {
               return protocol.name.size() <= most_string_bytes;
           });
}

}  // namespace

void Coordinator::join_group(Ticket ticket, const JoiningClient& client,
                             const wire::JoinGroupRequest& request, Now now, Effects& effects) {
    const auto refused = [&](Error error) {
        effects.answers.push_back(
            {ticket, wire::JoinGroupResponse{.error_code = error, .member_id = request.member_id}});
    };
    const milliseconds session{request.session_timeout_ms};
    if (request.group_id.empty()) return refused(Error::invalid_group_id);
    if (!fits_records(request)) return refused(Error::invalid_request);
    if (session < limits_.least_session_timeout || session > limits_.most_session_timeout) {
        return refused(Error::invalid_session_timeout);
    }
    ClassicGroup* group = find(request.group_id);
    ConsumerGroup* consumer = find_consumer(request.group_id);
    if (consumer != nullptr && !consumer->is_empty()) {
        consumer->join({ticket, client, request}, now, effects);
        return keep(*consumer, now, effects);
    }
    if (group == nullptr) {
        if (!request.member_id.empty()) return refused(Error::unknown_member_id);
        if (consumer != nullptr) {
            consumer->remove_records(effects);
            consumers_.erase(request.group_id);
        }
        group = &make(request.group_id);
        // So that a group exists from its first member on, and its generations never begin anew.
        effects.records.push_back(wire::GroupMetadataRecord{{group->id()}, group->stored_form()});
    }
    group->join(ticket, client, request, now, effects);
    schedule(*group);
}

void Coordinator::sync_group(Ticket ticket, const wire::SyncGroupRequest& request, Now now,
                             Effects& effects) {
    if (ConsumerGroup* consumer = find_consumer(request.group_id)) {
        consumer->sync(ticket, request, now, effects);
        return schedule(*consumer);
    }
    ClassicGroup* group = find(request.group_id);
    if (group == nullptr) {
        const Error error =
            request.group_id.empty() ? Error::invalid_group_id : Error::unknown_member_id;
        effects.answers.push_back({ticket, wire::SyncGroupResponse{.error_code = error}});
        return;
    }
    group->sync(ticket, request, now, effects);
    schedule(*group);
}

void Coordinator::assigned(const AssignmentOutcome& outcome, Now now, Effects& effects) {
    const auto tell = [&](auto* group) {
        if (group == nullptr) return;
        group->assigned(outcome, now, effects);
        schedule(*group);
    };
    tell(find(outcome.group));
    tell(find_consumer(outcome.group));
}

wire::HeartbeatResponse Coordinator::heartbeat(const wire::HeartbeatRequest& request, Now now,
                                               Effects& effects) {
    if (request.group_id.empty()) return {.error_code = Error::invalid_group_id};
    if (ConsumerGroup* consumer = find_consumer(request.group_id)) {
        const auto response = consumer->heartbeat(request, now, effects);
        schedule(*consumer);
        return response;
    }
    ClassicGroup* group = find(request.group_id);
    if (group == nullptr) return {.error_code = Error::unknown_member_id};
    const auto response = group->heartbeat(request, now);
    schedule(*group);
    return response;
}

wire::LeaveGroupResponse Coordinator::leave_group(const wire::LeaveGroupRequest& request, Now now,
                                                  Effects& effects) {
    if (request.group_id.empty()) return {.error_code = Error::invalid_group_id};
    ClassicGroup* group = find(request.group_id);
    if (group != nullptr) {
        auto response = group->leave(request, now, effects);
        schedule(*group);
        return response;
    }
    wire::LeaveGroupResponse response;
    if (ConsumerGroup* consumer = find_consumer(request.group_id)) {
        response = consumer->leave(request, now, effects);
        keep(*consumer, now, effects);
        return response;
    }
    for (const auto& member : request.members) {
        response.members.push_back({.member_id = member.member_id,
                                    .group_instance_id = member.group_instance_id,
                                    .error_code = Error::unknown_member_id});
    }
    return response;
}

wire::DescribeGroupsResponse::Group Coordinator::describe_group(const std::string& id) const {
    const ClassicGroup* group = find(id);
    if (group == nullptr) {
        const bool known = find_consumer(id) != nullptr;
        return {
            .error_code = Error::group_id_not_found,
            .error_message = "Group " + id + (known ? " is not a classic group." : " not found."),
            .group_id = id,
            .group_state = "Dead"};
    }
    const bool stable = group->state() == ClassicState::stable;
    wire::DescribeGroupsResponse::Group described{
        .group_id = id,
        .group_state = std::string{name_of(group->state())},
        .protocol_type = group->protocol_type(),
        .protocol_data = stable ? group->protocol().value_or("") : std::string{}};
    for (const auto& [member_id, member] : group->members()) {
        described.members.push_back({.member_id = member_id,
                                     .group_instance_id = member.instance_id,
                                     .client_id = member.client_id,
                                     .client_host = member.client_host});
        described.members.back().member_assignment = member.assignment;
        if (stable)
            described.members.back().member_metadata = member.metadata(described.protocol_data);
    }
    return described;
}

namespace {

bool passes(const std::vector<std::string>& filter, std::string_view value) {
    const auto same = [value](const std::string& wanted) {
        return std::ranges::equal(
            wanted, value, {}, [](unsigned char c) { return std::tolower(c); },
            [](unsigned char c) { return std::tolower(c); });
    };
    return filter.empty() || std::ranges::any_of(filter, same);
}

}  // namespace

void Coordinator::list_groups(const wire::ListGroupsRequest& request,
                              std::vector<wire::ListGroupsResponse::Group>& found) const {
    const auto list = [&](const std::string& id, std::string_view protocol_type,
                          std::string_view state, std::string_view type) {
        if (!passes(request.states_filter, state) || !passes(request.types_filter, type)) return;
        found.push_back({.group_id = id,
                         .protocol_type = std::string{protocol_type},
                         .group_state = std::string{state},
                         .group_type = std::string{type}});
    };
    for (const auto& [id, group] : groups_)
        list(id, group.protocol_type(), name_of(group.state()), "classic");
    for (const auto& [id, group] : consumers_) list(id, "consumer", group.state(), "consumer");
}

wire::DeleteGroupsResponse::Result Coordinator::delete_group(const std::string& id,
                                                             Effects& effects) {
    const ClassicGroup* group = find(id);
    const ConsumerGroup* consumer = find_consumer(id);
    if (group == nullptr && consumer == nullptr) {
        return {.group_id = id,
                .error_code = Error::group_id_not_found,
                .error_message = "Group " + id + " not found."};
    }
    if (consumer != nullptr ? !consumer->is_empty() : !group->is_empty()) {
        return {.group_id = id,
                .error_code = Error::non_empty_group,
                .error_message = "Group " + id + " has members."};
    }
    remove(id, effects);
    return {.group_id = id};
}

void Coordinator::remove(const std::string& id, Effects& effects) {
    const DurableGroup* known = durable_.find(id);
    if (known != nullptr) {
        for (const auto& [topic, partitions] : known->offsets) {
            for (const auto& [partition, offset] : partitions) {
                effects.records.push_back(
                    wire::OffsetCommitRecord{{id, topic, partition}, std::nullopt});
            }
        }
        if (known->classic)
            effects.records.push_back(wire::GroupMetadataRecord{{id}, std::nullopt});
    }
    if (const ConsumerGroup* consumer = find_consumer(id)) consumer->remove_records(effects);
    groups_.erase(id);
    consumers_.erase(id);
}

wire::ConsumerGroupDescribeResponse::Group Coordinator::describe_consumer_group(
    const std::string& id) const {
    if (id.empty()) return {.error_code = Error::invalid_group_id, .group_id = id};
    if (const ConsumerGroup* group = find_consumer(id)) return group->describe();
    const bool classic = find(id) != nullptr;
    return {
        .error_code = Error::group_id_not_found,
        .error_message = "Group " + id + (classic ? " is not a consumer group." : " not found."),
        .group_id = id};
}

}  // namespace leat::groups
