#include "core/broker/fetch.h"

#include <algorithm>
#include <utility>

namespace leat::broker {

bool has_settled(const ReadRequest& read, const ReadOutcome& outcome) {
    return outcome.error == wire::ErrorCode::none && !outcome.diverging && outcome.bytes == 0 &&
           read.from >= outcome.high_watermark;
}

FetchOperation::FetchOperation(PartitionTables& tables, std::size_t home, FetchRequest request,
                               Done done, std::weak_ptr<FetchWatcher> watcher)
    : tables_{tables},
      home_{home},
      request_{std::move(request)},
      done_{std::move(done)},
      watcher_{std::move(watcher)},
      in_session_{!watcher_.expired()},
      outcomes_(request_.items.size()),
      waiting_as_(request_.items.size(), 0) {}

void FetchOperation::start() {
    for (std::size_t item = 0; item < request_.items.size(); ++item) {
        const wire::ErrorCode error = request_.items[item].error;
        if (error == wire::ErrorCode::none) {
            to_look_at_.push_back(item);
        } else {
            set_outcome(item, {.error = error});
        }
    }
    look_on();
}

void FetchOperation::hurry() {
    hurried_ = true;
    if (!looking_ && !finished_) finish();
}

void FetchOperation::look_again(std::size_t item) {
    to_look_at_.push_back(item);
    look_on();
}

void FetchOperation::add(FetchItem item) {
    added_.push_back(std::move(item));
    look_on();
}

void FetchOperation::take_added() {
    for (FetchItem& item : std::exchange(added_, {})) {
        const std::size_t place = request_.items.size();
        const wire::ErrorCode error = item.error;
        request_.items.push_back(std::move(item));
        outcomes_.emplace_back();
        waiting_as_.push_back(0);
        if (error == wire::ErrorCode::none) {
            to_look_at_.push_back(place);
        } else {
            set_outcome(place, {.error = error});
        }
    }
}

void FetchOperation::look_on() {
    if (looking_ || finished_) return;
    if (!added_.empty()) take_added();
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
        std::size_t& seen = request_.items[item].read.counted;
        seen = std::max(seen, outcomes_[item].bytes);
        set_outcome(item, {});
        return true;
    });
    visit->taken = bytes_;
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
        if (item.watch != 0) leave_watch(table, item, *outcome, visit->owner == home_);
        visit->taken += outcome->bytes;
        visit->outcomes.push_back(std::move(*outcome));
    }
    if (visit->owner == home_) return end_visit(visit);
    tables_.shard(home_).post([self, visit] { self->end_visit(visit); });
}

void FetchOperation::leave_watch(PartitionTable& table, const FetchItem& item,
                                 const ReadOutcome& outcome, bool here) {
    const PartitionKey& key = item.partition.key;
    table.forget(key, item.watch);  // There is one at most, or it would be told twice.
    if (!has_settled(item.read, outcome)) return;
    if (here) {
        table.wait_above(key, outcome.high_watermark, item.watch, FetchWaiters::Runs::here,
                         [watcher = watcher_, slot = item.slot] {
                             if (const auto session = watcher.lock()) session->moved(slot);
                         });
        return;
    }
    table.wait_above(key, outcome.high_watermark, item.watch, FetchWaiters::Runs::elsewhere,
                     [&home = tables_.shard(home_), watcher = watcher_, slot = item.slot] {
                         home.post([watcher, slot] {
                             if (const auto session = watcher.lock()) session->moved(slot);
                         });
                     });
}

void FetchOperation::end_visit(const SharedVisit& visit) {
    if (finished_) return;
    for (std::size_t i = 0; i < visit->items.size(); ++i) {
        set_outcome(visit->items[i], std::move(visit->outcomes[i]));
    }
    looking_ = false;
    look_on();
}

void FetchOperation::set_outcome(std::size_t item, ReadOutcome outcome) {
    bytes_ -= outcomes_[item].bytes;
    urgent_ -= is_urgent(item) ? 1 : 0;
    outcomes_[item] = std::move(outcome);
    bytes_ += outcomes_[item].bytes;
    urgent_ += is_urgent(item) ? 1 : 0;
}

// An error is told at once: the client must act on it. To one that knows it and asks on it is told
// again when the wait is over, or client and broker would run in a circle.
bool FetchOperation::is_urgent(std::size_t item) const {
    const ReadOutcome& outcome = outcomes_[item];
    if (outcome.diverging) return true;
    return outcome.error != wire::ErrorCode::none && outcome.error != request_.items[item].told;
}

bool FetchOperation::enough() const {
    return request_.max_wait.count() <= 0 || urgent_ > 0 || bytes_ >= request_.min_bytes;
}

void FetchOperation::park() {
    auto self = shared_from_this();
    if (timer_ == sdk::TimerId::none) {
        timer_ = tables_.shard(home_).after(request_.max_wait, [self] {
            self->timer_ = sdk::TimerId::none;
            self->hurry();
        });
    }
    if (in_session_) return;  // Its watches are left.
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
        tables_.at(owner).wait_above(partition.key, seen, id, FetchWaiters::Runs::here,
                                     [self, item] { self->advanced(item); });
        return;
    }
    tables_.shard(owner).post([self, item, id, owner, seen, key = partition.key] {
        self->tables_.at(owner).wait_above(
            key, seen, id, FetchWaiters::Runs::elsewhere, [self, item] {
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
    for (std::size_t item = 0; item < waiting_as_.size(); ++item) {
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
    Done done = std::move(done_);  // What it owns ends on this shard.
    done(std::move(outcomes_));
}

}  // namespace leat::broker
