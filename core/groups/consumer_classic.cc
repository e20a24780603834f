// Members of the classic protocol in a group of KIP-848.
#include <algorithm>
#include <utility>

#include "core/groups/consumer_group.h"
#include "core/groups/migration.h"
#include "core/groups/subscriptions.h"
#include "core/wire/consumer_protocol.h"

namespace leat::groups {

using std::chrono::milliseconds;

bool ConsumerGroup::speaks_classic(const std::string& member_id) const {
    const auto found = stored_.members.find(member_id);
    return found != stored_.members.end() && found->second.classic_member_metadata;
}

milliseconds ConsumerGroup::session_timeout(const std::string& member_id) const {
    const auto& classic = stored_.members.at(member_id).classic_member_metadata;
    return classic ? milliseconds{classic->session_timeout_ms}
                   : around_->limits.consumer_session_timeout;
}

bool ConsumerGroup::supports(const wire::JoinGroupRequest& request) const {
    using Protocol = Subscription::ClassicProtocol;
    if (request.protocol_type != consumer_protocol_type) return false;
    return std::ranges::any_of(request.protocols, [&](const auto& protocol) {
        return std::ranges::all_of(stored_.members, [&](const auto& member) {
            const auto& classic = member.second.classic_member_metadata;
            return !classic || std::ranges::count(classic->supported_protocols, protocol.name,
                                                  &Protocol::name) > 0;
        });
    });
}

std::optional<wire::ErrorCode> ConsumerGroup::refuse(const ClassicJoin& asked) const {
    const wire::JoinGroupRequest& request = asked.request;
    const GroupLimits& limits = around_->limits;
    if (limits.consumer_migration == ConsumerMigration::disabled)
        return Error::inconsistent_group_protocol;
    const auto known = static_member(request.group_instance_id);
    if (stored_.members.size() >= static_cast<std::size_t>(limits.most_consumer_members) &&
        !known && !stored_.members.contains(request.member_id)) {
        return Error::group_max_size_reached;
    }
    if (!supports(request)) return Error::inconsistent_group_protocol;
    std::size_t bytes = 0;
    for (const auto& protocol : request.protocols)
        bytes += protocol.name.size() + protocol.metadata.size();
    if (bytes > limits.most_record_bytes / 2) return Error::group_max_size_reached;
    if (request.group_instance_id && !request.member_id.empty()) {
        if (!known) return Error::unknown_member_id;
        if (*known != request.member_id) return Error::fenced_instance_id;
    }
    return std::nullopt;
}

void ConsumerGroup::join(ClassicJoin asked, Now now, Effects& effects) {
    auto& request = asked.request;
    const auto refused = [&](Error error, std::string made_id = {}) {
        effects.answers.push_back(
            {asked.ticket,
             wire::JoinGroupResponse{.error_code = error, .member_id = std::move(made_id)}});
    };
    if (const auto error = refuse(asked)) return refused(*error);
    if (request.member_id.empty()) {
        request.member_id = around_->make_id();
        if (!request.group_instance_id && asked.client.must_bring_id)
            return refused(Error::member_id_required, request.member_id);
    }
    const auto subscription = wire::decode_subscription(request.protocols.front().metadata);
    if (!subscription) return refused(Error::inconsistent_group_protocol);
    const std::string member_id = request.member_id;
    const auto known = static_member(request.group_instance_id);
    // It was put out and does not know: what it says it owns may be another's by now. Kafka lets it
    // in with that.
    if (!known && !stored_.members.contains(member_id) &&
        !subscription->message.owned_partitions.empty()) {
        return refused(Error::unknown_member_id);
    }
    const bool replaces = known && !speaks_classic(*known);
    if (known && *known != member_id) take_over(*known, member_id, effects);
    const bool changed = subscribe_classic(asked, effects);
    // Its earlier request, from a connection that it has given up.
    if (const auto before = joining_.extract(member_id); !before.empty()) {
        effects.answers.push_back(
            {before.mapped().ticket,
             wire::JoinGroupResponse{.error_code = Error::rebalance_in_progress,
                                     .member_id = member_id}});
    }
    joining_.emplace(member_id, std::move(asked));
    if (replaces && become_classic(now, effects)) return;
    follow(changed, now, effects);
    touch(member_id, now);
    if (!asked_) complete_joins(now, effects);
}

bool ConsumerGroup::subscribe_classic(const ClassicJoin& asked, Effects& effects) {
    const wire::JoinGroupRequest& request = asked.request;
    const auto subscription = wire::decode_subscription(request.protocols.front().metadata);
    const auto found = stored_.members.find(request.member_id);
    Subscription after = found == stored_.members.end() ? Subscription{} : found->second;
    after.client_id = asked.client.client_id;
    after.client_host = asked.client.host;
    if (request.group_instance_id) after.instance_id = request.group_instance_id;
    if (subscription->message.rack_id) after.rack_id = subscription->message.rack_id;
    after.rebalance_timeout_ms = request.rebalance_timeout_ms < 0 ? request.session_timeout_ms
                                                                  : request.rebalance_timeout_ms;
    after.subscribed_topic_regex.reset();
    const std::set<std::string> names{subscription->message.topics.begin(),
                                      subscription->message.topics.end()};
    after.subscribed_topic_names.assign(names.begin(), names.end());
    auto& classic = after.classic_member_metadata.emplace();
    classic.session_timeout_ms = request.session_timeout_ms;
    for (const auto& protocol : request.protocols)
        classic.supported_protocols.push_back({protocol.name, protocol.metadata});
    return put_subscription(request.member_id, std::move(after), effects);
}

void ConsumerGroup::complete_joins(Now now, Effects& effects) {
    for (const ClassicJoin& each : take_waiting()) complete_join(each, now, effects);
}

std::vector<ClassicJoin> ConsumerGroup::take_waiting() {
    std::vector<ClassicJoin> waiting;
    for (auto& [member_id, each] : std::exchange(joining_, {})) waiting.push_back(std::move(each));
    return waiting;
}

// The step that a heartbeat with what it owns is for other members.
void ConsumerGroup::complete_join(const ClassicJoin& asked, Now now, Effects& effects) {
    const wire::JoinGroupRequest& request = asked.request;
    const std::string& member_id = request.member_id;
    const auto subscription = wire::decode_subscription(request.protocols.front().metadata);
    reconcile(member_id, known_partitions(subscription->message.owned_partitions, around_->image()),
              now, effects);
    Timers timers = timers_[member_id];
    timers.step = now.steady + milliseconds{stored_.members.at(member_id).rebalance_timeout_ms};
    set_timers(member_id, timers);
    effects.answers.push_back(
        {asked.ticket, wire::JoinGroupResponse{.generation_id = current(member_id).epoch,
                                               .protocol_type = std::string{consumer_protocol_type},
                                               .protocol_name = request.protocols.front().name,
                                               .member_id = member_id}});
}

wire::ErrorCode ConsumerGroup::check_classic(const std::string& member_id,
                                             const std::optional<std::string>& instance,
                                             std::int32_t generation) const {
    if (instance) {
        const auto known = static_member(instance);
        if (!known) return Error::unknown_member_id;
        if (*known != member_id) return Error::fenced_instance_id;
    }
    if (!speaks_classic(member_id)) return Error::unknown_member_id;
    return generation == current(member_id).epoch ? Error::none : Error::illegal_generation;
}

// From when it is told that there is a step to take.
void ConsumerGroup::expect_join(const std::string& member_id, Now now) {
    Timers timers = timers_[member_id];
    if (timers.step) return;
    timers.step = now.steady + milliseconds{stored_.members.at(member_id).rebalance_timeout_ms};
    set_timers(member_id, timers);
}

void ConsumerGroup::sync(Ticket ticket, const wire::SyncGroupRequest& request, Now now,
                         Effects& effects) {
    const auto refused = [&](Error error) {
        effects.answers.push_back({ticket, wire::SyncGroupResponse{.error_code = error}});
    };
    const std::string& member_id = request.member_id;
    const Error error = check_classic(member_id, request.group_instance_id, request.generation_id);
    if (error != Error::none) return refused(error);
    const auto& protocols =
        stored_.members.at(member_id).classic_member_metadata->supported_protocols;
    if (protocols.empty() ||
        (request.protocol_type && *request.protocol_type != consumer_protocol_type) ||
        (request.protocol_name && *request.protocol_name != protocols.front().name)) {
        return refused(Error::inconsistent_group_protocol);
    }
    const CurrentAssignment has = current(member_id);
    // Who has something to give back hears of it by this answer, and joins again by itself.
    if (stored_.assignment_epoch() > has.epoch && has.state != ConsumerState::unrevoked) {
        expect_join(member_id, now);
        return refused(Error::rebalance_in_progress);
    }
    auto told =
        told_as_classic(undated(has.assigned), around_->image(), protocols.front().metadata);
    if (!told) return refused(Error::inconsistent_group_protocol);
    Timers timers = timers_[member_id];
    timers.step.reset();
    set_timers(member_id, timers);
    touch(member_id, now);
    effects.answers.push_back(
        {ticket, wire::SyncGroupResponse{.protocol_type = request.protocol_type,
                                         .protocol_name = request.protocol_name,
                                         .assignment = std::move(*told)}});
}

bool ConsumerGroup::waits_for_others(const std::string& member_id) const {
    const auto target = stored_.targets.find(member_id);
    if (target == stored_.targets.end()) return false;
    for (const auto& topic : target->second.topic_partitions) {
        for (const std::int32_t partition : topic.partitions) {
            const auto holder = holders_.find({topic.topic_id, partition});
            if (holder != holders_.end() && holder->second != member_id) return true;
        }
    }
    return false;
}

// Topics are looked at as well: the policy may have left none but classic members.
wire::HeartbeatResponse ConsumerGroup::heartbeat(const wire::HeartbeatRequest& request, Now now,
                                                 Effects& effects) {
    const std::string& member_id = request.member_id;
    const Error error = check_classic(member_id, request.group_instance_id, request.generation_id);
    if (error != Error::none) return {.error_code = error};
    touch(member_id, now);
    follow(false, now, effects);
    const CurrentAssignment has = current(member_id);
    const bool to_join = has.epoch < stored_.assignment_epoch() ||
                         has.state == ConsumerState::unrevoked ||
                         (has.state == ConsumerState::unreleased && !waits_for_others(member_id));
    if (!to_join) return {};
    expect_join(member_id, now);
    return {.error_code = Error::rebalance_in_progress};
}

bool ConsumerGroup::become_classic(Now now, Effects& effects) {
    const GroupLimits& limits = around_->limits;
    if (is_empty() || classic_members_ != stored_.members.size()) return false;
    if (!may_downgrade(limits.consumer_migration)) return false;
    auto form = stored_.members.size() > static_cast<std::size_t>(limits.most_members)
                    ? sdk::Error{sdk::Errc::limit, "it has more members than one may have"}
                    : downgraded(stored_, around_->image(), limits, now);
    if (!form) {
        effects.notes.push_back("group " + id_ +
                                " does not become a classic one: " + form.error().what);
        return false;
    }
    classic_form_ = std::move(*form);
    return true;
}

}  // namespace leat::groups
