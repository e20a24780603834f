#include "core/broker/fetch.h"

#include <algorithm>
#include <utility>

namespace leat::broker {

FetchOperation::FetchOperation(PartitionTables& tables, std::size_t home, FetchRequest request,
                               Done done)
    : tables_{tables},
      home_{home},
      request_{std::move(request)},
      done_{std::move(done)},
      outcomes_(request_.items.size()),
      waiting_as_(request_.items.size(), 0) {}

void FetchOperation::start() {
    for (std::size_t item = 0; item < request_.items.size(); ++item) {
        outcomes_[item].error = request_.items[item].error;
        if (outcomes_[item].error == wire::ErrorCode::none) to_look_at_.push_back(item);
    }
    look_on();
}

void FetchOperation::hurry() {
    hurried_ = true;
    if (!looking_ && !finished_) finish();
}

void FetchOperation::look_on() {
    if (looking_ || finished_) return;
    if (!to_look_at_.empty()) {
        looking_ = true;
        const SharedVisit visit = next_visit();
        if (visit->owner == home_) return continue_visit(visit);
        auto self = shared_from_this();
        tables_.shard(visit->owner).post([self, visit] { self->continue_visit(visit); });
        return;
    }
    if (hurried_ || enough()) return finish();
    park();
}

FetchOperation::SharedVisit FetchOperation::next_visit() {
    auto visit = std::make_shared<Visit>();
    visit->owner = tables_.owner(request_.items[to_look_at_.front()].partition.key);
    std::erase_if(to_look_at_, [&](std::size_t item) {
        if (tables_.owner(request_.items[item].partition.key) != visit->owner) return false;
        visit->items.push_back(item);
        outcomes_[item] = {};
        return true;
    });
    for (const ReadOutcome& outcome : outcomes_) visit->taken += outcome.bytes;
    return visit;
}

void FetchOperation::continue_visit(const SharedVisit& visit) {
    auto self = shared_from_this();
    PartitionTable& table = tables_.at(visit->owner);
    while (visit->outcomes.size() < visit->items.size()) {
        const FetchItem& item = request_.items[visit->items[visit->outcomes.size()]];
        ReadRequest read = item.read;
        read.first_whole = visit->taken == 0;
        const std::size_t left = request_.max_bytes - std::min(request_.max_bytes, visit->taken);
        read.max_bytes = std::min(read.max_bytes, left);
        auto outcome =
            table.read(item.partition, read, [self, visit] { self->continue_visit(visit); });
        if (!outcome) return;  // Opening, or not resident: the table calls again.
        visit->taken += outcome->bytes;
        visit->outcomes.push_back(std::move(*outcome));
    }
    if (visit->owner == home_) return end_visit(visit);
    tables_.shard(home_).post([self, visit] { self->end_visit(visit); });
}

void FetchOperation::end_visit(const SharedVisit& visit) {
    if (finished_) return;
    for (std::size_t i = 0; i < visit->items.size(); ++i) {
        outcomes_[visit->items[i]] = std::move(visit->outcomes[i]);
    }
    looking_ = false;
    look_on();
}

// An error is told at once: the client must act on it.
bool FetchOperation::enough() const {
    if (request_.max_wait.count() <= 0) return true;
    std::size_t bytes = 0;
    for (const ReadOutcome& outcome : outcomes_) {
        if (outcome.error != wire::ErrorCode::none || outcome.diverging) return true;
        bytes += outcome.bytes;
    }
    return bytes >= request_.min_bytes;
}

void FetchOperation::park() {
    auto self = shared_from_this();
    if (timer_ == sdk::TimerId::none) {
        timer_ = tables_.shard(home_).after(request_.max_wait, [self] {
            self->timer_ = sdk::TimerId::none;
            self->hurry();
        });
    }
    for (std::size_t item = 0; item < request_.items.size(); ++item) {
        if (waiting_as_[item] == 0) wait_at(item);
    }
}

void FetchOperation::wait_at(std::size_t item) {
    const FetchWaiters::Id id = tables_.next_waiter(home_);
    waiting_as_[item] = id;
    auto self = shared_from_this();
    const PartitionRef& partition = request_.items[item].partition;
    const sdk::Offset seen = outcomes_[item].high_watermark;
    const std::size_t owner = tables_.owner(partition.key);
    if (owner == home_) {
        tables_.at(owner).wait_above(partition.key, seen, id,
                                     [self, item] { self->advanced(item); });
        return;
    }
    tables_.shard(owner).post([self, item, id, owner, seen, key = partition.key] {
        self->tables_.at(owner).wait_above(key, seen, id, [self, item] {
            self->tables_.shard(self->home_).post([self, item] { self->advanced(item); });
        });
    });
}

void FetchOperation::advanced(std::size_t item) {
    if (finished_) return;
    waiting_as_[item] = 0;
    to_look_at_.push_back(item);
    look_on();
}

void FetchOperation::finish() {
    finished_ = true;
    if (timer_ != sdk::TimerId::none) tables_.shard(home_).cancel(timer_);
    for (std::size_t item = 0; item < request_.items.size(); ++item) {
        const FetchWaiters::Id id = waiting_as_[item];
        if (id == 0) continue;
        const PartitionKey key = request_.items[item].partition.key;
        const std::size_t owner = tables_.owner(key);
        if (owner == home_) {
            tables_.at(owner).forget(key, id);
        } else {
            tables_.shard(owner).post(
                [&tables = tables_, owner, key, id] { tables.at(owner).forget(key, id); });
        }
    }
    done_(std::move(outcomes_));
}

}  // namespace leat::broker
