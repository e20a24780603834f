// In the place of group_coordinators.cc in a program without consumer groups
// (LEAT_CONSUMER_GROUPS): there is no coordinator.
#include "core/broker/group_coordinators.h"

namespace leat::broker {

GroupCoordinators::GroupCoordinators(Metadata& metadata, PartitionTables& tables, std::size_t shard,
                                     const GroupSettings& settings, logging::Logger& logger)
    : metadata_{metadata}, tables_{tables}, shard_{shard}, settings_{settings}, logger_{logger} {}

GroupCoordinator* GroupCoordinators::at(std::int32_t) {
    return nullptr;
}
void GroupCoordinators::begin_rounds() {}
void GroupCoordinators::topic_removed(const cluster::TopicImage&) {}
void GroupCoordinators::topic_changed(const cluster::TopicImage&) {}
void GroupCoordinators::resign() {}

}  // namespace leat::broker
