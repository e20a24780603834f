// The driver of groups::Coordinator for one partition of __consumer_offsets that this broker leads:
// loads it, appends what it decides, lets its answers go when they are committed, keeps its time.
//
// Life       idle -> loading -> serving; back to idle when an append fails, for then the log alone
//            says what is so: the next request loads it again.
// Loading    A request waits up to a second, then it is COORDINATOR_LOAD_IN_PROGRESS: some clients
//            do not try again when they are told so at once.
// Threads    [shard] that owns the partition, throughout.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/broker/assignor_runner.h"
#include "core/broker/group_log.h"
#include "core/groups/coordinator.h"
#include "core/logging/logger.h"

namespace leat::broker {

// What all coordinators of a broker go by. Outlives them.
struct GroupSettings {
    groups::GroupLimits limits;
    std::chrono::milliseconds expiry_check{600'000};  // offsets.retention.check.interval.ms
    std::function<std::string()> make_id;             // A random part of a member id. [any thread]
    AssignorRunner* assignors = nullptr;              // Null: no group gets an assignor.
};

class GroupCoordinator : public std::enable_shared_from_this<GroupCoordinator> {
public:
    using Error = wire::ErrorCode;
    static constexpr std::chrono::milliseconds longest_wait_for_load{1'000};
    // Of a timer. One that is later says that this process did not run; then members get some time
    // in which what they sent meanwhile is read.
    static constexpr std::chrono::milliseconds longest_lateness{1'000};
    static constexpr std::chrono::milliseconds time_to_be_heard{1'000};

    // `image` is the shard's.
    GroupCoordinator(PartitionTable& table, sdk::Shard& shard, PartitionKey key,
                     const GroupSettings& settings, logging::Logger& logger,
                     groups::Coordinator::ImageOf image);

    // `answer(error, response)` is called once, on this shard; without an error when what the
    // response says is committed.
    template <class Response>
    using Answer = sdk::Function<void(Error, Response)>;

    void join_group(groups::JoiningClient client, wire::JoinGroupRequest request,
                    Answer<wire::JoinGroupResponse> answer);
    void sync_group(wire::SyncGroupRequest request, Answer<wire::SyncGroupResponse> answer);

    // For all that is answered at once: `decide(coordinator, now, effects)` returns the response.
    template <class Decide, class Answer>
    void ask(Decide decide, Answer answer) {
        enter([this, decide = std::move(decide), answer = std::move(answer)](Error error) mutable {
            using Response =
                decltype(decide(*machine_, groups::Now{}, std::declval<groups::Effects&>()));
            if (error != Error::none) return answer(error, Response{});
            groups::Effects effects;
            auto response = decide(*machine_, now(), effects);
            carry_out(std::move(effects),
                      [answer = std::move(answer), response = std::move(response)](
                          Error failed) mutable { answer(failed, std::move(response)); });
        });
    }

    // The image has other topics, or others have other partitions. Loads nothing.
    void topics_changed();

    // The broker stops, or another one leads now: what waits is NOT_COORDINATOR, and all is
    // forgotten.
    void resign();

private:
    using Deliver = sdk::Function<void(Error)>;
    using Parked = std::variant<Answer<wire::JoinGroupResponse>, Answer<wire::SyncGroupResponse>>;
    enum class State { idle, loading, serving };
    struct Waiting {
        std::uint64_t number;
        Deliver begin;
    };
    struct Held {
        std::uint64_t after;  // This append.
        Deliver deliver;
    };

    void enter(Deliver begin);
    void load();
    void loaded(const GroupLog::Loaded& loaded);
    void tell_waiting(Error error);
    void carry_out(groups::Effects effects, Deliver deliver = {});
    void ask_assignor(groups::AssignmentRequest request);
    void append(std::span<const groups::Record> records);
    void appended(std::uint64_t life, std::uint64_t number, Error error);
    void deliver_when_committed(Deliver deliver);
    void fail(Error error);
    void keep_time();
    groups::Now now();  // Without the time in which this process did not run.
    template <class Request, class Response>
    groups::Ticket park(Answer<Response> answer);

    sdk::Shard& shard_;
    const PartitionKey key_;
    const GroupSettings& settings_;
    logging::Logger& logger_;
    const groups::Coordinator::ImageOf image_;
    std::shared_ptr<GroupLog> log_;  // Shared with what is on its way to a worker.

    State state_ = State::idle;
    std::uint64_t life_ = 0;  // Counts loads: an append's answer may come to a later one.
    std::optional<groups::Coordinator> machine_;
    std::deque<Waiting> waiting_;  // For the load.
    std::uint64_t last_waiting_ = 0;
    std::map<groups::Ticket, Parked> parked_;
    std::uint64_t last_ticket_ = 0;
    std::uint64_t last_append_ = 0;
    std::uint64_t committed_ = 0;  // Appends up to this one.
    std::deque<Held> held_;
    sdk::TimerId timer_ = sdk::TimerId::none;
    std::optional<sdk::Instant> timer_at_;   // As the machine counts.
    std::optional<sdk::Instant> timer_due_;  // As the shard counts.
    // For so long this process did not run: the members had no way to be heard meanwhile, so no
    // session counts that time.
    sdk::Instant paused_{0};
};

}  // namespace leat::broker
