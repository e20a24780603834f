// What one shard of a broker is: its image's listener and its table of partitions, tied together.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

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
};

// [shard] Outlives the Metadata that it listens to.
class ShardBroker final : public MetadataListener {
public:
    // [any thread] Before the shard's partitions are used.
    ShardBroker(Metadata& metadata, PartitionTables& tables, runtime::Shards& shards,
                const PluginInstances& instances, logging::Logger& logger,
                ShardBrokerOptions options);

    void topic_changed(const cluster::TopicImage* before, const cluster::TopicImage& now) override;
    void topic_removed(const cluster::TopicImage& was) override;
    void standing_changed(Standing now) override;

private:
    bool mine(const PartitionKey& key) const { return tables_.owner(key) == options_.shard; }
    std::vector<PartitionKey> with_retention() const;

    Metadata& metadata_;
    PartitionTables& tables_;
    const PluginInstances& instances_;
    logging::Logger& logger_;
    const ShardBrokerOptions options_;
    RetentionRounds retention_rounds_;
};

}  // namespace leat::broker
