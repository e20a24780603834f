#include "core/broker/shard_broker.h"

#include "core/broker/partition_setup.h"

namespace leat::broker {
namespace {

PartitionTable& add_table(Metadata& metadata, PartitionTables& tables, runtime::Shards& shards,
                          const PluginInstances& instances, logging::Logger& logger,
                          const ShardBrokerOptions& options) {
    tables.add(std::make_unique<PartitionTable>(
        shards.at(options.shard), tables.open_logs(), logger,
        [&metadata, &instances, options](const PartitionKey& key) {
            auto made = partition_setup(metadata.image(options.shard), key, options.self, instances,
                                        options.producers);
            if (auto* setup = std::get_if<PartitionSetup>(&made)) {
                setup->found_producer_id = [&metadata](std::int64_t highest) {
                    metadata.found_producer_id(highest);
                };
            }
            return made;
        }));
    return tables.at(options.shard);
}

}  // namespace

ShardBroker::ShardBroker(Metadata& metadata, PartitionTables& tables, runtime::Shards& shards,
                         const PluginInstances& instances, logging::Logger& logger,
                         ShardBrokerOptions options)
    : metadata_{metadata},
      tables_{tables},
      instances_{instances},
      logger_{logger},
      options_{std::move(options)},
      retention_rounds_{shards.at(options_.shard),
                        add_table(metadata, tables, shards, instances, logger, options_),
                        options_.retention_check,
                        [this] {
                            return mine_where([](const cluster::TopicConfig& config) {
                                return retention_of(config).limited();
                            });
                        },
                        options_.shard == 0 ? &logger : nullptr},
      compaction_rounds_{shards.at(options_.shard), tables.at(options_.shard),
                         options_.compaction_check, options_.compaction,
                         [this] {
                             return mine_where([](const cluster::TopicConfig& config) {
                                 return config.cleanup_compact;
                             });
                         }},
      groups_{metadata, tables, options_.shard, options_.groups, logger} {
    metadata.listen(options_.shard, *this);
    shards.at(options_.shard).post([this] {
        if (options_.retention_check.count() > 0) retention_rounds_.begin();
        if (options_.compaction_check.count() > 0) compaction_rounds_.begin();
        groups_.begin_rounds();
    });
}

std::vector<PartitionKey> ShardBroker::mine_where(
    const std::function<bool(const cluster::TopicConfig&)>& wanted) const {
    std::vector<PartitionKey> keys;
    for (const auto& [name, topic] : metadata_.image(options_.shard).topics()) {
        if (!wanted(topic->config)) continue;
        for (std::size_t index = 0; index < topic->partitions.size(); ++index) {
            const PartitionKey key{topic->id, static_cast<std::int32_t>(index)};
            if (topic->partitions[index].leader == options_.self && mine(key)) keys.push_back(key);
        }
    }
    return keys;
}

void ShardBroker::topic_changed(const cluster::TopicImage* before, const cluster::TopicImage& now) {
    groups_.topic_changed(now);
    if (before == nullptr) return;  // Opened on first use.
    for (std::size_t index = 0; index < now.partitions.size(); ++index) {
        const PartitionKey key{now.id, static_cast<std::int32_t>(index)};
        if (mine(key)) tables_.at(options_.shard).changed(key);
    }
}

void ShardBroker::topic_removed(const cluster::TopicImage& was) {
    groups_.topic_removed(was);
    const auto engine = instances_.storage.find(was.storage);
    if (engine == instances_.storage.end()) return;
    for (std::size_t index = 0; index < was.partitions.size(); ++index) {
        const PartitionKey key{was.id, static_cast<std::int32_t>(index)};
        if (!mine(key)) continue;
        tables_.at(options_.shard)
            .removed({was.id, was.name, key.index}, engine->first, *engine->second);
    }
}

void ShardBroker::standing_changed(Standing now) {
    tables_.at(options_.shard).fence(now == Standing::fenced);
    if (options_.shard == 0 && now == Standing::fenced) {
        logger_.log(logging::Level::error,
                    "fenced: the coordination store lost or refused this broker");
    }
}

}  // namespace leat::broker
