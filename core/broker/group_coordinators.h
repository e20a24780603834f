// The group coordinators of one shard: of those partitions of __consumer_offsets that it owns and
// this broker leads. Made when a request, or the round that lets offsets expire, first needs them.
//
// Threads    [shard] throughout.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/broker/group_coordinator.h"
#include "core/broker/metadata.h"

namespace leat::broker {

inline constexpr std::string_view group_topic = "__consumer_offsets";

class GroupCoordinators {
public:
    // All outlive it. `shard` is the index.
    GroupCoordinators(Metadata& metadata, PartitionTables& tables, std::size_t shard,
                      const GroupSettings& settings, logging::Logger& logger);

    // Null: that partition is not led here, or is another shard's.
    GroupCoordinator* at(std::int32_t partition);

    // Every so often offsets expire. Goes on until the shard ends.
    void begin_rounds();

    void topic_removed(const cluster::TopicImage& was);
    void topic_changed(const cluster::TopicImage& now);
    void resign();  // All of them, for good: the broker stops.

private:
    // `use` gets each that there should be.
    template <class Use>
    void each(Use use);
    void expire();

    Metadata& metadata_;
    PartitionTables& tables_;
    const std::size_t shard_;
    const GroupSettings& settings_;
    logging::Logger& logger_;
    std::map<std::int32_t, std::shared_ptr<GroupCoordinator>> coordinators_;
    bool resigned_ = false;
};

}  // namespace leat::broker
