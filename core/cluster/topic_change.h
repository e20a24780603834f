// From a request to what is written, for a topic that exists: more partitions, other configs. The
// stages are as those of topic_plan.h.
//
// Growing    New partitions, then the record with the first of them: before that nobody sees any. A
//            controller that dies in between leaves partitions behind the last; the next growth
//            writes over them, for a partition's key is never deleted and made again while its
//            topic lives. The record's transaction checks partition 0: a deletion goes first, or
//            not at all.
// Configs    One key with all overrides, put by compare-and-set. It stays when the last override
//            goes.
// Brokers    Their configs likewise, one key for each broker and one for all of them.
// Messages   Apache Kafka's, where it has one.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/cluster/topic_plan.h"

namespace leat::cluster {

struct GrowthPlan {
    TopicRecord record;  // As it is to be.
    std::int32_t first = 0;
    std::vector<sdk::PartitionState> added;  // From `first` on.
};
std::variant<GrowthPlan, TopicRefusal> plan_growth(const MorePartitions& wanted,
                                                   const StoreView& view, const TopicMeans& means);
Stages growth_stages(const GrowthPlan& plan, const StoreView& view, const sdk::Check& fence);

// The overrides that the topic is to have.
std::variant<ConfigMap, TopicRefusal> plan_configs(const TopicConfigChange& wanted,
                                                   const StoreView& view);
// The configs that the broker, or all of them, is to have (broker_config.h). Anything else than
// those that change while it runs is refused, and so is a broker's own min.insync.replicas.
std::variant<ConfigMap, TopicRefusal> plan_broker_configs(const BrokerConfigChange& wanted,
                                                          const StoreView& view);

Stages config_stages(const sdk::Uuid& topic_id, const ConfigMap& overrides, const StoreView& view,
                     const sdk::Check& fence);
Stages broker_config_stages(std::optional<sdk::NodeId> broker, const ConfigMap& configs,
                            const StoreView& view, const sdk::Check& fence);
// As stored.
ConfigMap broker_configs(std::optional<sdk::NodeId> broker, const StoreView& view);

}  // namespace leat::cluster
