#include "core/broker/fetch_session.h"

#include <map>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::broker {
namespace {

SessionPartitions::Seen seen(const ReadOutcome& outcome, bool settled) {
    return {.error = outcome.error,
            .high_watermark = outcome.high_watermark,
            .log_start = outcome.log_start,
            .records = outcome.bytes > 0,
            .diverging = outcome.diverging.has_value(),
            .settled = settled};
}

}  // namespace

void FetchSession::when_free(sdk::Task task) {
    waiting_.push_back(std::move(task));
    if (!running_) return free_again();
    running_->superseded = true;
    hurry(*running_);
}

// A task may begin a fetch that ends at once.
void FetchSession::free_again() {
    const auto self = shared_from_this();
    while (!running_ && !waiting_.empty()) {
        sdk::Task task = std::move(waiting_.front());
        waiting_.pop_front();
        task();
    }
    if (ended_ && !running_) take_back(std::exchange(watches_, {}));
}

void FetchSession::begin(const std::shared_ptr<Fetch>& fetch) {
    sdk::ensure(!running_, "a session runs one fetch at a time");
    if (!waiting_.empty()) return fetch->done(std::nullopt);
    running_ = fetch;
    FetchRequest request = fetch->limits;
    for (const Slot slot : partitions_.take_changed()) {
        request.items.push_back(next_item(*fetch, slot));
    }
    const auto operation = std::make_shared<FetchOperation>(
        tables_, home_, std::move(request),
        [self = shared_from_this(), fetch](std::vector<ReadOutcome> outcomes) {
            self->finished(fetch, std::move(outcomes));
        },
        weak_from_this());
    fetch->operation = operation;
    operation->start();
    if (fetch->hurried || ended_) operation->hurry();
}

void FetchSession::hurry(Fetch& fetch) {
    fetch.hurried = true;
    if (const auto operation = fetch.operation.lock()) operation->hurry();
}

FetchItem FetchSession::next_item(Fetch& fetch, Slot slot) {
    if (slot >= watches_.size()) watches_.resize(slot + 1);
    Watch& watch = watches_[slot];
    watch.item = static_cast<std::uint32_t>(fetch.slots.size());
    fetch.slots.push_back(slot);
    FetchItem item =
        fetch.resolve(partitions_.topic(slot), partitions_.index(slot), partitions_.asked(slot));
    item.slot = slot;
    item.told = partitions_.told_error(slot);
    if (item.error != wire::ErrorCode::none) return item;
    // The name may be another topic's by now.
    if (watch.id != 0 && watch.at != item.partition.key) take_back({watch});
    if (watch.id == 0) watch.id = tables_.next_waiter(home_);
    watch.at = item.partition.key;
    item.watch = watch.id;
    return item;
}

void FetchSession::moved(std::uint32_t slot) {
    const auto operation = running_ ? running_->operation.lock() : nullptr;
    if (operation && slot < watches_.size() && watches_[slot].item != no_item) {
        return operation->look_again(watches_[slot].item);
    }
    if (!partitions_.moved(slot) || !operation) return;
    // It alone: the others that had changed are being looked at.
    for (const Slot changed : partitions_.take_changed()) {
        operation->add(next_item(*running_, changed));
    }
}

void FetchSession::finished(const std::shared_ptr<Fetch>& fetch,
                            std::vector<ReadOutcome> outcomes) {
    running_ = nullptr;
    for (const Slot slot : fetch->slots) watches_[slot].item = no_item;
    if (fetch->superseded) {
        for (const Slot slot : fetch->slots) partitions_.not_answered(slot);
        fetch->done(std::nullopt);
    } else {
        fetch->done(answers(*fetch, std::move(outcomes)));
    }
    free_again();
}

std::vector<SessionAnswer> FetchSession::answers(const Fetch& fetch,
                                                 std::vector<ReadOutcome> outcomes) {
    std::vector<SessionAnswer> told;
    for (std::size_t item = 0; item < fetch.slots.size(); ++item) {
        const Slot slot = fetch.slots[item];
        const bool settled = has_settled({.from = partitions_.asked(slot).from}, outcomes[item]);
        if (!partitions_.answered(slot, seen(outcomes[item], settled))) continue;
        told.push_back(
            {partitions_.topic(slot), partitions_.index(slot), std::move(outcomes[item])});
    }
    return told;
}

void FetchSession::forget(const SessionTopic& topic, std::int32_t index) {
    const auto slot = partitions_.forget(topic, index);
    if (!slot || *slot >= watches_.size()) return;
    if (watches_[*slot].id != 0) take_back({std::exchange(watches_[*slot], {})});
}

void FetchSession::end() {
    if (std::exchange(ended_, true)) return;
    if (running_) return hurry(*running_);
    free_again();
}

void FetchSession::take_back(const std::vector<Watch>& watches) {
    std::map<std::size_t, std::vector<Watch>> by_owner;
    for (const Watch& watch : watches) {
        if (watch.id != 0) by_owner[tables_.owner(watch.at)].push_back(watch);
    }
    for (auto& [owner, there] : by_owner) {
        auto take = [&table = tables_.at(owner), there = std::move(there)] {
            for (const Watch& watch : there) table.forget(watch.at, watch.id);
        };
        if (owner == home_) {
            take();
        } else {
            tables_.shard(owner).post(std::move(take));
        }
    }
}

}  // namespace leat::broker
