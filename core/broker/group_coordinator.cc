#include "core/broker/group_coordinator.h"

#include <algorithm>

namespace leat::broker {

using wire::ErrorCode;

namespace {

// Below what a topic takes by default (max.message.bytes), with room for batch and record headers.
constexpr std::size_t most_batch_bytes = 1'000'000;

// As Kafka's coordinator tells clients: what is worth another try at whom.
ErrorCode told(ErrorCode appending) {
    switch (appending) {
        case ErrorCode::not_leader_or_follower:
        case ErrorCode::kafka_storage_error:
        case ErrorCode::unknown_topic_id:
            return ErrorCode::not_coordinator;
        case ErrorCode::message_too_large:
        case ErrorCode::record_list_too_large:
            return ErrorCode::unknown_server_error;
        default:
            return ErrorCode::coordinator_not_available;
    }
}

}  // namespace

GroupCoordinator::GroupCoordinator(PartitionTable& table, sdk::Shard& shard, PartitionKey key,
                                   const GroupSettings& settings, logging::Logger& logger,
                                   groups::Coordinator::ImageOf image)
    : shard_{shard},
      key_{key},
      settings_{settings},
      logger_{logger},
      image_{std::move(image)},
      log_{std::make_shared<GroupLog>(table, shard, key, settings.limits.offset_commit_version)} {}

void GroupCoordinator::enter(Deliver begin) {
    if (state_ == State::serving) return begin(ErrorCode::none);
    const std::uint64_t number = ++last_waiting_;
    waiting_.push_back({number, std::move(begin)});
    shard_.after(longest_wait_for_load, [weak = weak_from_this(), number] {
        const auto self = weak.lock();
        if (!self) return;
        const auto found = std::ranges::find(self->waiting_, number, &Waiting::number);
        if (found == self->waiting_.end()) return;
        Deliver late = std::move(found->begin);
        self->waiting_.erase(found);
        late(ErrorCode::coordinator_load_in_progress);
    });
    if (state_ == State::idle) load();
}

void GroupCoordinator::load() {
    state_ = State::loading;
    machine_.emplace(settings_.limits, settings_.make_id, image_);
    log_->load([this](const groups::Record& record) { machine_->replay(record); },
               [weak = weak_from_this(), life = ++life_](const GroupLog::Loaded& loaded) {
                   const auto self = weak.lock();
                   if (self && self->life_ == life) self->loaded(loaded);
               });
}

void GroupCoordinator::loaded(const GroupLog::Loaded& loaded) {
    if (loaded.error != ErrorCode::none || loaded.not_understood > 0) {
        logger_.log(logging::Level::warn, "group coordinator",
                    {{"partition", std::to_string(key_.index)},
                     {"records", std::to_string(loaded.records)},
                     {"not understood", std::to_string(loaded.not_understood)},
                     {"reason", loaded.why}});
    }
    if (loaded.error != ErrorCode::none) {
        state_ = State::idle;
        return tell_waiting(told(loaded.error));
    }
    state_ = State::serving;
    machine_->loaded(now());
    groups::Effects effects;
    machine_->topics_deleted(
        [this](const std::string& topic, const sdk::Uuid& id) {
            const cluster::TopicImage* known = image_().topic(topic);
            return known == nullptr || (!id.is_zero() && known->id != id);
        },
        effects);
    carry_out(std::move(effects));
    tell_waiting(ErrorCode::none);
}

void GroupCoordinator::tell_waiting(Error error) {
    for (auto waiting = std::exchange(waiting_, {}); Waiting & each : waiting) each.begin(error);
}

template <class Request, class Response>
groups::Ticket GroupCoordinator::park(Answer<Response> answer) {
    const groups::Ticket ticket{++last_ticket_};
    parked_.emplace(ticket, std::move(answer));
    return ticket;
}

void GroupCoordinator::join_group(groups::JoiningClient client, wire::JoinGroupRequest request,
                                  Answer<wire::JoinGroupResponse> answer) {
    enter([this, client = std::move(client), request = std::move(request),
           answer = std::move(answer)](Error error) mutable {
        if (error != Error::none) return answer(error, {});
        groups::Effects effects;
        const auto ticket = park<wire::JoinGroupRequest>(std::move(answer));
        machine_->join_group(ticket, client, request, now(), effects);
        carry_out(std::move(effects));
    });
}

void GroupCoordinator::sync_group(wire::SyncGroupRequest request,
                                  Answer<wire::SyncGroupResponse> answer) {
    enter([this, request = std::move(request), answer = std::move(answer)](Error error) mutable {
        if (error != Error::none) return answer(error, {});
        groups::Effects effects;
        const auto ticket = park<wire::SyncGroupRequest>(std::move(answer));
        machine_->sync_group(ticket, request, now(), effects);
        carry_out(std::move(effects));
    });
}

void GroupCoordinator::carry_out(groups::Effects effects, Deliver deliver) {
    for (const std::string& note : effects.notes) {
        logger_.log(logging::Level::info, "group coordinator", {{"event", note}});
    }
    if (!effects.records.empty()) {
        append(effects.records);
        if (state_ != State::serving) {  // It failed at once, and nobody is parked any more.
            if (deliver) deliver(ErrorCode::coordinator_not_available);
            return;
        }
    }
    for (groups::Answer& answer : effects.answers) {
        auto found = parked_.extract(answer.ticket);
        if (found.empty()) continue;
        deliver_when_committed([parked = std::move(found.mapped()),
                                response = std::move(answer.response)](Error error) mutable {
            std::visit(
                [&](auto& reply) {
                    using Reply = std::decay_t<decltype(reply)>;
                    if constexpr (std::is_same_v<Reply, Answer<wire::JoinGroupResponse>>) {
                        reply(error, std::move(std::get<wire::JoinGroupResponse>(response)));
                    } else {
                        reply(error, std::move(std::get<wire::SyncGroupResponse>(response)));
                    }
                },
                parked);
        });
    }
    if (deliver) deliver_when_committed(std::move(deliver));
    for (groups::AssignmentRequest& request : effects.assignments) ask_assignor(std::move(request));
    keep_time();
}

void GroupCoordinator::ask_assignor(groups::AssignmentRequest request) {
    auto done = [weak = weak_from_this(), life = life_](const groups::AssignmentOutcome& outcome) {
        const auto self = weak.lock();
        if (!self || self->life_ != life || self->state_ != State::serving) return;
        groups::Effects effects;
        self->machine_->assigned(outcome, self->now(), effects);
        self->carry_out(std::move(effects));
    };
    CommittedOffsets committed;
    if (const groups::DurableGroup* group = machine_->durable().find(request.group)) {
        for (const sdk::GroupTopic& topic : request.input.topics) {
            const auto partitions = group->offsets.find(topic.name);
            if (partitions == group->offsets.end()) continue;
            for (const auto& [index, offset] : partitions->second) {
                committed[topic.name][index] = offset.offset;
            }
        }
    }
    settings_.assignors->ask(shard_, std::move(request), std::move(committed), std::move(done));
}

// In the order of the log, which is the order of this shard: nothing else appends to the partition.
void GroupCoordinator::append(std::span<const groups::Record> records) {
    const std::uint64_t number = ++last_append_;
    for (const groups::Record& record : records) machine_->replay(record);
    log_->append(records, most_batch_bytes,
                 [weak = weak_from_this(), life = life_, number](Error error) {
                     if (const auto self = weak.lock()) self->appended(life, number, error);
                 });
}

void GroupCoordinator::appended(std::uint64_t life, std::uint64_t number, Error error) {
    if (life != life_ || state_ != State::serving) return;
    if (error != ErrorCode::none) return fail(told(error));
    committed_ = number;
    while (!held_.empty() && held_.front().after <= committed_) {
        Deliver deliver = std::move(held_.front().deliver);
        held_.pop_front();
        deliver(ErrorCode::none);
        if (life != life_) return;
    }
}

void GroupCoordinator::deliver_when_committed(Deliver deliver) {
    if (committed_ == last_append_) return deliver(ErrorCode::none);
    held_.push_back({last_append_, std::move(deliver)});
}

// What was decided is void, and what was answered before stands: both are in the log or not.
void GroupCoordinator::fail(Error error) {
    state_ = State::idle;
    ++life_;
    machine_.reset();
    committed_ = last_append_;
    shard_.cancel(timer_);
    timer_at_.reset();
    timer_due_.reset();
    for (auto held = std::exchange(held_, {}); Held & each : held) each.deliver(error);
    for (auto parked = std::exchange(parked_, {}); auto& [ticket, answer] : parked) {
        std::visit([error](auto& reply) { reply(error, {}); }, answer);
    }
}

void GroupCoordinator::topics_changed() {
    if (machine_) machine_->topics_changed();
}

void GroupCoordinator::resign() {
    const bool knew_something = state_ != State::idle;
    fail(ErrorCode::not_coordinator);
    tell_waiting(ErrorCode::not_coordinator);
    if (knew_something) {
        logger_.log(logging::Level::debug, "group coordinator resigns",
                    {{"partition", std::to_string(key_.index)}});
    }
}

void GroupCoordinator::keep_time() {
    if (state_ != State::serving) return;
    const auto next = machine_->next_deadline();
    if (next == timer_at_) return;
    shard_.cancel(timer_);
    timer_at_ = next;
    const sdk::Instant from = now().steady;
    timer_due_.reset();
    if (!next) return;
    const auto pause = std::max(*next - from, sdk::Instant{0});
    timer_due_ = shard_.now() + pause;
    timer_ = shard_.after(pause, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self || self->state_ != State::serving) return;
        const groups::Now now = self->now();
        self->timer_at_.reset();
        self->timer_due_.reset();
        groups::Effects effects;
        self->machine_->tick(now, effects);
        self->carry_out(std::move(effects));
    });
}

groups::Now GroupCoordinator::now() {
    if (timer_due_ && shard_.now() - *timer_due_ > longest_lateness) {
        paused_ += shard_.now() - *timer_due_ + time_to_be_heard;
        timer_due_ = shard_.now();
    }
    return {shard_.now() - paused_, shard_.wall_clock()};
}

}  // namespace leat::broker
