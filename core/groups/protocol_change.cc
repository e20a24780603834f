// The part of the coordinator that moves groups from one protocol to the other.
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/groups/coordinator.h"
#include "core/groups/migration.h"
#include "core/groups/subscriptions.h"

namespace leat::groups {

wire::ConsumerGroupHeartbeatResponse Coordinator::consumer_heartbeat(
    const ConsumerClient& client, const wire::ConsumerGroupHeartbeatRequest& request,
    wire::Version version, Now now, Effects& effects) {
    if (const auto wrong = wrong_with(request, version, limits_))
        return {.error_code = wrong->error, .error_message = wrong->why};
    const std::string& id = request.group_id;
    if (ConsumerGroup* group = find_consumer(id)) {
        auto response = group->heartbeat(client, request, now, effects);
        keep(*group, now, effects);
        return response;
    }
    ClassicGroup* classic = find(id);
    if (request.member_epoch != joins) {
        return {.error_code = Error::group_id_not_found,
                .error_message =
                    "Group " + id + (classic ? " is not a consumer group." : " not found.")};
    }
    Effects joining;
    auto made = begin_consumer_group(id, now, joining);
    if (!made) {
        return {.error_code = Error::group_id_not_found,
                .error_message = "Group " + id + " does not become a consumer group, because " +
                                 made.error().what};
    }
    auto response = made->heartbeat(client, request, now, joining);
    if (response.error_code != Error::none) return response;
    const DurableGroup* known = durable_.find(id);
    if (known != nullptr && known->classic)
        effects.records.push_back(wire::GroupMetadataRecord{{id}, std::nullopt});
    if (classic != nullptr) classic->send_away(now, effects);
    groups_.erase(id);
    schedule(consumers_.emplace(id, std::move(*made)).first->second);
    std::ranges::move(joining.records, std::back_inserter(effects.records));
    std::ranges::move(joining.assignments, std::back_inserter(effects.assignments));
    std::ranges::move(joining.notes, std::back_inserter(effects.notes));
    return response;
}

// With the members of the classic group of that id, if there are any.
sdk::Result<ConsumerGroup> Coordinator::begin_consumer_group(const std::string& id, Now now,
                                                             Effects& effects) {
    const ClassicGroup* classic = find(id);
    if (classic == nullptr || classic->members().empty()) return ConsumerGroup{id, around_};
    if (!may_upgrade(limits_.consumer_migration))
        return sdk::Error{sdk::Errc::unsupported, "that is not allowed while it has members."};
    if (classic->protocol_type() != consumer_protocol_type)
        return sdk::Error{sdk::Errc::unsupported, "its members are not consumers."};
    if (classic->members().size() > static_cast<std::size_t>(limits_.most_consumer_members))
        return sdk::Error{sdk::Errc::limit, "it has too many members."};
    auto stored = upgraded(*classic, around_.image(), limits_, now);
    if (!stored) return stored.error();
    ConsumerGroup made{id, around_, std::move(*stored), now};
    made.begin(effects);
    effects.notes.push_back("group " + id + " becomes one of KIP-848, with " +
                            std::to_string(classic->members().size()) + " classic members");
    return made;
}

// After each call that may have been the end of it.
void Coordinator::keep(ConsumerGroup& group, Now now, Effects& effects) {
    if (!group.classic_form()) return schedule(group);
    const std::string id = group.id();
    const wire::GroupMetadataValue form = *group.classic_form();
    const std::vector<ClassicJoin> waiting = group.take_waiting();
    group.remove_records(effects);
    effects.records.push_back(wire::GroupMetadataRecord{{id}, form});
    effects.notes.push_back("group " + id + " becomes a classic one, with " +
                            std::to_string(form.members.size()) + " members to join again");
    consumers_.erase(id);
    ClassicGroup made{id, limits_, make_id_, form, now.steady};
    schedule(groups_.emplace(id, std::move(made)).first->second);
    for (const ClassicJoin& each : waiting)
        join_group(each.ticket, each.client, each.request, now, effects);
}

}  // namespace leat::groups
