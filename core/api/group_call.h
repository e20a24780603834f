// How handlers reach a group's coordinator: on the shard of the partition of __consumer_offsets
// that the group lives on, and back.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/services.h"
#include "core/api/session.h"
#include "core/broker/group_coordinators.h"
#include "core/groups/group_partition.h"
#include "leat/sdk/function.h"

namespace leat::api {

// [home] `ask(coordinator, answer)` runs on the coordinator's shard and calls `answer(error,
// response)` once, there. `done` hears it at home. NOT_COORDINATOR: it is not here, or nowhere yet.
template <class Response, class Ask>
void ask_coordinator_of(Services& services, std::size_t home, std::int32_t partition, Ask ask,
                        sdk::Function<void(wire::ErrorCode, Response)> done) {
    const cluster::TopicImage* topic = services.metadata.image(home).topic(broker::group_topic);
    if (topic == nullptr || topic->partition(partition) == nullptr) {
        return done(wire::ErrorCode::not_coordinator, {});
    }
    const std::size_t owner = services.tables.owner({topic->id, partition});
    auto run = [&services, home, owner, partition, ask = std::move(ask),
                done = std::move(done)]() mutable {
        auto give = [&services, home, owner, done = std::move(done)](wire::ErrorCode error,
                                                                     Response response) mutable {
            if (home == owner) return done(error, std::move(response));
            services.shards.at(home).post(
                [error, response = std::move(response), done = std::move(done)]() mutable {
                    done(error, std::move(response));
                });
        };
        auto* coordinator = services.groups.at(owner)->at(partition);
        if (coordinator == nullptr) return give(wire::ErrorCode::not_coordinator, {});
        ask(*coordinator, std::move(give));
    };
    home == owner ? run() : services.shards.at(owner).post(std::move(run));
}

template <class Response, class Ask>
void ask_coordinator(Services& services, std::size_t home, std::string_view group, Ask ask,
                     sdk::Function<void(wire::ErrorCode, Response)> done) {
    const cluster::TopicImage* topic = services.metadata.image(home).topic(broker::group_topic);
    const auto count = topic == nullptr ? 1 : static_cast<std::int32_t>(topic->partitions.size());
    ask_coordinator_of<Response>(services, home, groups::partition_of_group(group, count),
                                 std::move(ask), std::move(done));
}

// The same for what its machine answers at once: `decide(machine, now, effects)`.
template <class Response, class Decide>
void decide_at_coordinator(Services& services, std::size_t home, std::string_view group,
                           Decide decide, sdk::Function<void(wire::ErrorCode, Response)> done) {
    ask_coordinator<Response>(
        services, home, group,
        [decide = std::move(decide)](broker::GroupCoordinator& coordinator, auto answer) mutable {
            coordinator.ask(std::move(decide), std::move(answer));
        },
        std::move(done));
}

// For requests about many groups: collects the answers in the order of the request, then calls
// `done`. Shared by those who are asked.
template <class Answer>
class GroupAnswers : public std::enable_shared_from_this<GroupAnswers<Answer>> {
public:
    GroupAnswers(std::size_t count, sdk::Function<void(std::vector<Answer>)> done)
        : answers_(count), missing_{count}, done_{std::move(done)} {}

    void put(std::size_t place, Answer answer) {
        answers_[place] = std::move(answer);
        if (--missing_ == 0) done_(std::move(answers_));
    }

private:
    std::vector<Answer> answers_;
    std::size_t missing_;
    sdk::Function<void(std::vector<Answer>)> done_;
};

// A request that is parked may be answered by the coordinator, or before it because the broker
// stops: who comes first.
class ParkedReply {
public:
    explicit ParkedReply(Reply reply)
        : reply_{std::make_shared<std::optional<Reply>>(std::move(reply))} {}

    template <class Response>
    void answer(const Response& response) const {
        if (!*reply_) return;
        Reply reply = std::move(**reply_);
        reply_->reset();
        reply.answer(response);
    }

private:
    std::shared_ptr<std::optional<Reply>> reply_;  // Of the coordinator's answer and the stop.
};

}  // namespace leat::api
