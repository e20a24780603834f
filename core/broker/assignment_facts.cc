#include "core/broker/assignment_facts.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace leat::broker {
namespace {

struct Told {
    std::optional<std::int64_t> end;
    std::optional<std::uint64_t> bytes;
};

// [shard 0] Shared by what is on its way to and from the shards.
struct Gathering {
    sdk::AssignmentInput input;
    CommittedOffsets committed;
    std::size_t missing = 0;
    sdk::Function<void(sdk::AssignmentInput)> done;
    bool over = false;

    void put(std::size_t topic, std::size_t partition, const Told& told) {
        if (over) return;
        sdk::GroupTopic& of = input.topics[topic];
        sdk::PartitionFacts& facts = of.partitions[partition];
        facts.bytes = told.bytes;
        const auto topics = committed.find(of.name);
        if (told.end && topics != committed.end()) {
            const auto offset = topics->second.find(static_cast<std::int32_t>(partition));
            if (offset != topics->second.end()) {
                facts.lag = std::max(*told.end - offset->second, std::int64_t{0});
            }
        }
        if (--missing == 0) finish();
    }
    void finish() {
        if (std::exchange(over, true)) return;
        done(std::move(input));
    }
};

}  // namespace

void gather_facts(PartitionTables& tables, const sdk::AssignmentCapabilities& wanted,
                  CommittedOffsets committed, sdk::AssignmentInput input,
                  sdk::Function<void(sdk::AssignmentInput)> done) {
    std::size_t count = 0;
    for (const auto& topic : input.topics) count += topic.partitions.size();
    if (count == 0 || (!wanted.needs_lag && !wanted.needs_sizes)) return done(std::move(input));
    auto gathering = std::make_shared<Gathering>(
        Gathering{std::move(input), std::move(committed), count, std::move(done)});
    sdk::Shard& home = tables.shard(0);
    for (std::size_t topic = 0; topic < gathering->input.topics.size(); ++topic) {
        const sdk::GroupTopic& of = gathering->input.topics[topic];
        for (std::size_t partition = 0; partition < of.partitions.size(); ++partition) {
            const PartitionKey key{of.id, static_cast<std::int32_t>(partition)};
            const std::size_t owner = tables.owner(key);
            auto tell = [gathering, &home, topic, partition, wanted](Partition* open,
                                                                     wire::ErrorCode) {
                Told told;
                if (open != nullptr && wanted.needs_lag) told.end = open->high_watermark().value;
                if (open != nullptr && wanted.needs_sizes) told.bytes = open->stored_bytes();
                home.post([gathering, topic, partition, told] {
                    gathering->put(topic, partition, told);
                });
            };
            tables.shard(owner).post([&table = tables.at(owner), key, tell = std::move(tell)] {
                table.with_open(key, tell);
            });
        }
    }
    home.after(longest_gathering, [gathering] { gathering->finish(); });
}

}  // namespace leat::broker
