#include "core/broker/shard_broker.h"

#include "core/broker/partition_setup.h"

namespace leat::broker {

ShardBroker::ShardBroker(Metadata& metadata, PartitionTables& tables, runtime::Shards& shards,
                         const PluginInstances& instances, logging::Logger& logger,
                         ShardBrokerOptions options)
    : tables_{tables}, instances_{instances}, logger_{logger}, options_{options} {
    tables.add(std::make_unique<PartitionTable>(
        shards.at(options.shard), logger,
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
    metadata.listen(options.shard, *this);
}

void ShardBroker::topic_changed(const cluster::TopicImage* before, const cluster::TopicImage& now) {
    if (before == nullptr) return;  // Opened on first use.
    for (std::size_t index = 0; index < now.partitions.size(); ++index) {
        const PartitionKey key{now.id, static_cast<std::int32_t>(index)};
        if (mine(key)) tables_.at(options_.shard).changed(key);
    }
}

void ShardBroker::topic_removed(const cluster::TopicImage& was) {
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
