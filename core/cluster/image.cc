#include "core/cluster/image.h"

#include "leat/sdk/ensure.h"

namespace leat::cluster {

using sdk::ensure;

const Endpoint* BrokerImage::endpoint(std::string_view listener) const {
    for (const auto& each : endpoints) {
        if (each.listener == listener) return &each;
    }
    return nullptr;
}

PartitionImage PartitionImage::from(const sdk::PartitionState& state, sdk::Revision revision) {
    return {.replicas = NodeList{state.replicas},
            .in_sync = NodeList{state.in_sync},
            .eligible = NodeList{state.eligible},
            .leader = state.leader.value_or(no_node),
            .leader_epoch = state.leader_epoch,
            .revision = revision};
}

sdk::PartitionState PartitionImage::state() const {
    sdk::PartitionState made{.replicas = replicas.copy(),
                             .in_sync = in_sync.copy(),
                             .eligible = eligible.copy(),
                             .leader = std::nullopt,
                             .leader_epoch = leader_epoch};
    if (leader != no_node) made.leader = leader;
    return made;
}

const PartitionImage* TopicImage::partition(std::int32_t index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= partitions.size()) return nullptr;
    return &partitions[static_cast<std::size_t>(index)];
}

const BrokerImage* Image::broker(sdk::NodeId id) const {
    const auto found = brokers_.find(id);
    return found == brokers_.end() ? nullptr : found->second.get();
}

std::shared_ptr<const TopicImage> Image::share(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

std::shared_ptr<const TopicImage> Image::share(const sdk::Uuid& id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
}

const TopicImage* Image::topic(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second.get();
}

const TopicImage* Image::topic(const sdk::Uuid& id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second.get();
}

const PartitionImage* Image::partition(const sdk::Uuid& topic_id, std::int32_t index) const {
    const TopicImage* found = topic(topic_id);
    return found == nullptr ? nullptr : found->partition(index);
}

bool Image::is_internal(std::string_view topic) {
    return topic == "__consumer_offsets" || topic == "__transaction_state";
}

void Image::apply(const ImageDelta& delta, ImageListener* listener) {
    if (delta.facts) facts_ = *delta.facts;
    if (delta.broker_configs) broker_configs_ = *delta.broker_configs;
    for (const auto id : delta.brokers_gone) brokers_.erase(id);
    for (const auto& broker : delta.brokers) brokers_[broker->id] = broker;
    for (const auto& topic : delta.topics_gone) remove(topic, listener);
    for (const auto& topic : delta.topics) put(topic, listener);
}

void Image::put(const std::shared_ptr<const TopicImage>& topic, ImageListener* listener) {
    auto& slot = by_id_[topic->id];
    if (slot == topic) return;
    const auto before = std::exchange(slot, topic);
    if (before) {
        partition_count_ -= before->partitions.size();
        by_name_.erase(before->name);
    }
    const bool free = by_name_.emplace(topic->name, topic).second;
    ensure(free, "a topic's name is free before a topic of another id gets it");
    partition_count_ += topic->partitions.size();
    if (listener != nullptr) listener->topic_changed(before.get(), *topic);
}

void Image::remove(const std::shared_ptr<const TopicImage>& topic, ImageListener* listener) {
    const auto found = by_id_.find(topic->id);
    if (found == by_id_.end()) return;
    const auto was = std::move(found->second);
    by_id_.erase(found);
    by_name_.erase(was->name);
    partition_count_ -= was->partitions.size();
    if (listener != nullptr) listener->topic_removed(*was);
}

}  // namespace leat::cluster
