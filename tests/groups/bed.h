// A coordinator with a clock of its own and a log in memory, for stories about groups.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "core/groups/coordinator.h"

namespace leat::groups {

using namespace std::chrono_literals;
using wire::ErrorCode;

class Bed {
public:
    explicit Bed(GroupLimits given = {}) : limits{given} { start(); }

    Ticket join(const wire::JoinGroupRequest& request, JoiningClient client = {"app", "/::1"}) {
        const Ticket ticket{++last_ticket};
        decide([&](Effects& e) { machine->join_group(ticket, client, request, now, e); });
        return ticket;
    }
    Ticket sync(const wire::SyncGroupRequest& request) {
        const Ticket ticket{++last_ticket};
        decide([&](Effects& e) { machine->sync_group(ticket, request, now, e); });
        return ticket;
    }
    ErrorCode heartbeat(const std::string& member, std::int32_t generation,
                        std::optional<std::string> instance = {}) {
        const wire::HeartbeatRequest request{.group_id = "g",
                                             .generation_id = generation,
                                             .member_id = member,
                                             .group_instance_id = std::move(instance)};
        ErrorCode error = ErrorCode::none;
        decide([&](Effects& e) { error = machine->heartbeat(request, now, e).error_code; });
        return error;
    }
    ErrorCode leave(const std::string& member, std::optional<std::string> instance = {}) {
        wire::LeaveGroupRequest request{.group_id = "g"};
        request.members.push_back({.member_id = member, .group_instance_id = std::move(instance)});
        wire::LeaveGroupResponse response;
        decide([&](Effects& e) { response = machine->leave_group(request, now, e); });
        return response.members.at(0).error_code;
    }
    // Lets time pass in steps that end at each deadline, as timers do.
    void pass(std::chrono::milliseconds time) {
        const sdk::Instant until = now.steady + time;
        while (const auto next = machine->next_deadline()) {
            if (*next > until) break;
            set_clock(std::max(*next, now.steady));
            decide([&](Effects& e) { machine->tick(now, e); });
        }
        set_clock(until);
    }

    // The answer to a request, taken out; fails if there is none yet.
    template <class Response>
    Response answer(Ticket ticket) {
        const auto found = answers.find(ticket);
        if (found == answers.end()) return Response{.error_code = ErrorCode::network_exception};
        auto response = std::get<Response>(found->second);
        answers.erase(found);
        return response;
    }
    wire::JoinGroupResponse joined(Ticket ticket) {
        return answer<wire::JoinGroupResponse>(ticket);
    }
    wire::SyncGroupResponse synced(Ticket ticket) {
        return answer<wire::SyncGroupResponse>(ticket);
    }
    bool answered(Ticket ticket) const { return answers.contains(ticket); }

    template <class Decide>
    void decide(Decide deciding) {
        Effects effects;
        deciding(effects);
        for (const Record& record : effects.records) {
            machine->replay(record);
            log.push_back(record);
        }
        for (Answer& each : effects.answers) {
            answers.emplace(each.ticket, std::move(each.response));
        }
        for (AssignmentRequest& each : effects.assignments) asked.push_back(std::move(each));
        for (std::string& each : effects.notes) notes.push_back(std::move(each));
    }

    void start() {
        machine.emplace(limits, make_id, [this]() -> const cluster::Image& { return image; });
    }
    // A new coordinator that has read the log.
    void fail_over() {
        start();
        for (const Record& record : log) machine->replay(record);
        machine->loaded(now);
        answers.clear();
    }

    void set_clock(sdk::Instant at) {
        const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(at - now.steady);
        now.steady = at;
        now.wall.value += passed.count();
    }

    GroupLimits limits;
    int last_id = 0;
    ClassicGroup::MakeId make_id = [this] { return std::to_string(++last_id); };
    Now now{.steady = 1000s, .wall = {1'700'000'000'000}};
    cluster::Image image;
    std::optional<Coordinator> machine;
    std::vector<Record> log;
    std::vector<AssignmentRequest> asked;  // Of assignors.
    std::vector<std::string> notes;
    std::map<Ticket, decltype(Answer::response)> answers;
    std::uint64_t last_ticket = 0;
};

inline wire::Bytes bytes_of(std::string_view text) {
    const auto* at = reinterpret_cast<const std::byte*>(text.data());
    return {at, at + text.size()};
}

inline wire::JoinGroupRequest join_request(std::string member_id = {},
                                           std::optional<std::string> instance = {}) {
    return {.group_id = "g",
            .session_timeout_ms = 10'000,
            .rebalance_timeout_ms = 60'000,
            .member_id = std::move(member_id),
            .group_instance_id = std::move(instance),
            .protocol_type = "consumer",
            .protocols = {{"range", bytes_of("as range")}, {"sticky", bytes_of("as sticky")}}};
}

inline wire::SyncGroupRequest sync_request(
    std::string member_id, std::int32_t generation,
    std::vector<wire::SyncGroupRequest::Assignment> assignments = {}) {
    return {.group_id = "g",
            .generation_id = generation,
            .member_id = std::move(member_id),
            .protocol_type = "consumer",
            .protocol_name = "range",
            .assignments = std::move(assignments)};
}

// Two members, "app-1" the leader and "app-2", with assignments "a" and "b", in generation 1.
inline void stable_pair(Bed& bed) {
    bed.join(join_request());
    bed.join(join_request());
    bed.join(join_request("app-1"));
    bed.join(join_request("app-2"));
    bed.pass(6s);
    bed.sync(sync_request("app-2", 1));
    bed.sync(sync_request("app-1", 1, {{"app-1", bytes_of("a")}, {"app-2", bytes_of("b")}}));
    bed.answers.clear();
}

}  // namespace leat::groups
