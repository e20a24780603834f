#include "core/broker/group_coordinators.h"

namespace leat::broker {

GroupCoordinators::GroupCoordinators(Metadata& metadata, PartitionTables& tables, std::size_t shard,
                                     const GroupSettings& settings, logging::Logger& logger)
    : metadata_{metadata}, tables_{tables}, shard_{shard}, settings_{settings}, logger_{logger} {}

GroupCoordinator* GroupCoordinators::at(std::int32_t partition) {
    const cluster::TopicImage* topic = metadata_.image(shard_).topic(group_topic);
    if (resigned_ || topic == nullptr) return nullptr;
    const auto* led = topic->partition(partition);
    const PartitionKey key{topic->id, partition};
    if (led == nullptr || led->leader != metadata_.self() || tables_.owner(key) != shard_) {
        return nullptr;
    }
    auto& coordinator = coordinators_[partition];
    if (!coordinator) {
        coordinator = std::make_shared<GroupCoordinator>(
            tables_.at(shard_), tables_.shard(shard_), key, settings_, logger_,
            [this]() -> const cluster::Image& { return metadata_.image(shard_); });
    }
    return coordinator.get();
}

template <class Use>
void GroupCoordinators::each(Use use) {
    const cluster::TopicImage* topic = metadata_.image(shard_).topic(group_topic);
    if (topic == nullptr) return;
    for (std::size_t index = 0; index < topic->partitions.size(); ++index) {
        if (auto* coordinator = at(static_cast<std::int32_t>(index))) use(*coordinator);
    }
}

void GroupCoordinators::begin_rounds() {
    tables_.shard(shard_).after(settings_.expiry_check, [this] {
        if (resigned_) return;
        expire();
        begin_rounds();
    });
}

void GroupCoordinators::expire() {
    each([](GroupCoordinator& coordinator) {
        coordinator.ask(
            [](groups::Coordinator& machine, groups::Now now, groups::Effects& effects) {
                machine.expire_offsets(now.wall, effects);
                return true;
            },
            [](wire::ErrorCode, bool) {});
    });
}

void GroupCoordinators::topic_removed(const cluster::TopicImage& was) {
    if (was.name == group_topic) {
        for (auto& [partition, coordinator] : coordinators_) coordinator->resign();
        coordinators_.clear();
        return;
    }
    for (auto& [partition, coordinator] : coordinators_) coordinator->topics_changed();
    each([&was](GroupCoordinator& coordinator) {
        coordinator.ask(
            [name = was.name, id = was.id](groups::Coordinator& machine, groups::Now,
                                           groups::Effects& effects) {
                machine.topics_deleted(
                    [&](const std::string& topic, const sdk::Uuid& of) {
                        return topic == name && (of.is_zero() || of == id);
                    },
                    effects);
                return true;
            },
            [](wire::ErrorCode, bool) {});
    });
}

void GroupCoordinators::topic_changed(const cluster::TopicImage& now) {
    if (now.name != group_topic) {
        for (auto& [partition, coordinator] : coordinators_) coordinator->topics_changed();
        return;
    }
    std::erase_if(coordinators_, [&](auto& entry) {
        const auto* led = now.partition(entry.first);
        if (led != nullptr && led->leader == metadata_.self()) return false;
        entry.second->resign();
        return true;
    });
}

void GroupCoordinators::resign() {
    resigned_ = true;
    for (auto& [partition, coordinator] : coordinators_) coordinator->resign();
}

}  // namespace leat::broker
