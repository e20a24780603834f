// What one shard of a broker is: its image's listener and its table of partitions, tied together.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "core/broker/compaction_rounds.h"
#include "core/broker/group_coordinators.h"
#include "core/broker/metadata.h"
#include "core/broker/partition_table.h"
#include "core/broker/plugin_instances.h"
#include "core/broker/retention_rounds.h"
#include "core/log/producer_state.h"
#include "core/logging/logger.h"

namespace leat::broker {

struct ShardBrokerOptions {
    std::size_t shard = 0;
    sdk::NodeId self;
    log::ProducerLimits producers;
    std::chrono::milliseconds retention_check{0};  // Between two rounds; 0: none.
    std::chrono::milliseconds compaction_check{0};
    CompactionTerms compaction{};
    GroupSettings groups;
};

// [shard] Outlives the Metadata that it listens to.
class ShardBroker final : public MetadataListener {
public:
    // [any thread] Before the shard's partitions are used.
    ShardBroker(Metadata& metadata, PartitionTables& tables, runtime::Shards& shards,
                const PluginInstances& instances, logging::Logger& logger,
                ShardBrokerOptions options);

    GroupCoordinators& groups() { return groups_; }

    void topic_changed(const cluster::TopicImage* before, const cluster::TopicImage& now) override;
    void topic_removed(const cluster::TopicImage& was) override;
    void standing_changed(Standing now) override;

private:
    bool mine(const PartitionKey& key) const { return tables_.owner(key) == options_.shard; }
    // Of those led here, those whose topic's configs say so.
    std::vector<PartitionKey> mine_where(
        const std::function<bool(const cluster::TopicConfig&)>& wanted) const;

    Metadata& metadata_;
    PartitionTables& tables_;
    const PluginInstances& instances_;
    logging::Logger& logger_;
    const ShardBrokerOptions options_;
    RetentionRounds retention_rounds_;
    CompactionRounds compaction_rounds_;
    GroupCoordinators groups_;
};

}  // namespace leat::broker
