#include "core/broker/session_partitions.h"

#include <algorithm>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::broker {
namespace {

std::uint64_t name_of(std::uint32_t topic, std::int32_t index) {
    return std::uint64_t{topic} << 32 | static_cast<std::uint32_t>(index);
}

}  // namespace

std::optional<std::uint32_t> SessionPartitions::find_topic(const SessionTopic& topic) const {
    if (by_id_) {
        const auto found = topics_by_id_.find(topic.id);
        if (found == topics_by_id_.end()) return std::nullopt;
        return found->second;
    }
    const auto found = topics_by_name_.find(topic.name);
    if (found == topics_by_name_.end()) return std::nullopt;
    return found->second;
}

std::uint32_t SessionPartitions::add_topic(const SessionTopic& topic) {
    if (const auto found = find_topic(topic)) return *found;
    auto place = static_cast<std::uint32_t>(topics_.size());
    if (unused_topics_.empty()) {
        topics_.emplace_back();
    } else {
        place = unused_topics_.back();
        unused_topics_.pop_back();
    }
    topics_[place].is = topic;
    if (by_id_) {
        topics_by_id_.emplace(topic.id, place);
    } else {
        topics_by_name_.emplace(topic.name, place);
    }
    return place;
}

void SessionPartitions::let_go_of_topic(std::uint32_t place) {
    Topic& topic = topics_[place];
    if (--topic.partitions > 0) return;
    by_id_ ? topics_by_id_.erase(topic.is.id) : topics_by_name_.erase(topic.is.name);
    topic = {};
    unused_topics_.push_back(place);
}

SessionPartitions::Slot SessionPartitions::ask(const SessionTopic& topic, std::int32_t index,
                                               const Asked& asked) {
    const std::uint32_t place = add_topic(topic);
    const auto found = by_name_.find(name_of(place, index));
    auto slot = static_cast<Slot>(partitions_.size());
    if (found != by_name_.end()) {
        slot = found->second;
    } else {
        if (unused_.empty()) {
            partitions_.emplace_back();
        } else {
            slot = unused_.back();
            unused_.pop_back();
        }
        partitions_[slot] = {.topic = place,
                             .index = index,
                             .asked = {},
                             .turn = ++last_turn_,
                             .state = State::settled};
        ++topics_[place].partitions;
        by_name_.emplace(name_of(place, index), slot);
    }
    partitions_[slot].asked = asked;
    partitions_[slot].told_error = wire::ErrorCode::none;
    change(slot);
    return slot;
}

std::optional<SessionPartitions::Slot> SessionPartitions::forget(const SessionTopic& topic,
                                                                 std::int32_t index) {
    const auto place = find_topic(topic);
    if (!place) return std::nullopt;
    const auto found = by_name_.find(name_of(*place, index));
    if (found == by_name_.end()) return std::nullopt;
    const Slot slot = found->second;
    by_name_.erase(found);
    partitions_[slot].state = State::unused;
    unused_.push_back(slot);
    let_go_of_topic(*place);
    return slot;
}

void SessionPartitions::change(Slot slot) {
    if (partitions_[slot].state == State::changed) return;
    partitions_[slot].state = State::changed;
    changed_.push_back(slot);
}

bool SessionPartitions::moved(Slot slot) {
    if (slot >= partitions_.size() || partitions_[slot].state != State::settled) return false;
    change(slot);
    return true;
}

std::vector<SessionPartitions::Slot> SessionPartitions::take_changed() {
    std::vector<Slot> taken = std::exchange(changed_, {});
    // Some have been forgotten since, and may be in use again.
    std::erase_if(taken, [this](Slot slot) {
        return std::exchange(partitions_[slot].state, partitions_[slot].state == State::unused
                                                          ? State::unused
                                                          : State::settled) != State::changed;
    });
    std::sort(taken.begin(), taken.end(),
              [this](Slot a, Slot b) { return partitions_[a].turn < partitions_[b].turn; });
    return taken;
}

bool SessionPartitions::tell(Partition& partition, const Seen& seen) {
    const bool error = seen.error != wire::ErrorCode::none;
    const bool news = seen.records || error || seen.diverging ||
                      seen.high_watermark != partition.told_high_watermark ||
                      seen.log_start != partition.told_log_start;
    // When the error has gone, the partition is told again.
    partition.told_high_watermark = error ? sdk::Offset{-1} : seen.high_watermark;
    partition.told_log_start = seen.log_start;
    partition.told_error = seen.error;
    return news;
}

bool SessionPartitions::answered(Slot slot, const Seen& seen) {
    Partition& partition = partitions_[slot];
    sdk::ensure(partition.state != State::unused, "what is forgotten is not being looked at");
    const bool tells = tell(partition, seen);
    if (seen.records) partition.turn = ++last_turn_;
    if (!seen.settled) change(slot);
    return tells;
}

void SessionPartitions::began(Slot slot, const Seen& seen) {
    tell(partitions_[slot], seen);
}

void SessionPartitions::not_answered(Slot slot) {
    change(slot);
}

}  // namespace leat::broker
