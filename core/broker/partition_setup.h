// From a topic's record in the image to what a partition is made with.
#pragma once

#include <variant>

#include "core/broker/partition.h"
#include "core/broker/partition_key.h"
#include "core/broker/plugin_instances.h"
#include "core/cluster/image.h"
#include "core/log/producer_state.h"
#include "core/wire/error_code.h"

namespace leat::broker {

// UNKNOWN_TOPIC_ID or UNKNOWN_TOPIC_OR_PARTITION if the image has none, NOT_LEADER_OR_FOLLOWER if
// another broker leads it, KAFKA_STORAGE_ERROR if its engine or policy is not configured here.
std::variant<PartitionSetup, wire::ErrorCode> partition_setup(const cluster::Image& image,
                                                              const PartitionKey& key,
                                                              sdk::NodeId self,
                                                              const PluginInstances& instances,
                                                              const log::ProducerLimits& producers);

log::RetentionLimits retention_of(const cluster::TopicConfig& config);
log::CompactionRules compaction_of(const cluster::TopicConfig& config);

}  // namespace leat::broker
