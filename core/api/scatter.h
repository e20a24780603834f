// For requests that ask something of many partitions: asks each on the shard that owns it, and
// calls `done` at home when the last has answered.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/broker/partition_table.h"
#include "leat/sdk/function.h"

namespace leat::api {

template <class Answer>
struct Scatter {
    broker::PartitionTables& tables;
    std::size_t home;
    std::vector<Answer> answers;
    std::size_t missing;
    sdk::Function<void(std::vector<Answer>)> done;

    void came(std::size_t item, Answer answer) {
        answers[item] = std::move(answer);
        if (--missing == 0) done(std::move(answers));
    }
};

// `ask(partition or null, error, give)` runs on the owner's shard and calls `give(answer)` once,
// there. Items without a key are left as they are in `answers`.
template <class Answer, class Ask>
void ask_each(broker::PartitionTables& tables, std::size_t home,
              const std::vector<std::pair<std::size_t, broker::PartitionKey>>& items,
              std::vector<Answer> answers, Ask ask, sdk::Function<void(std::vector<Answer>)> done) {
    if (items.empty()) return done(std::move(answers));
    // Shared by the shards that are asked; only `home` touches what is in it.
    auto scatter = std::make_shared<Scatter<Answer>>(
        Scatter<Answer>{tables, home, std::move(answers), items.size(), std::move(done)});
    for (const auto& [item, key] : items) {
        const std::size_t owner = tables.owner(key);
        auto run = [scatter, owner, ask, item = item, key = key] {
            scatter->tables.at(owner).with_open(
                key,
                [scatter, owner, ask, item](broker::Partition* partition, wire::ErrorCode error) {
                    ask(item, partition, error, [scatter, owner, item](Answer answer) {
                        if (owner == scatter->home) return scatter->came(item, std::move(answer));
                        scatter->tables.shard(scatter->home)
                            .post([scatter, item, answer = std::move(answer)]() mutable {
                                scatter->came(item, std::move(answer));
                            });
                    });
                });
        };
        if (owner == home) {
            run();
        } else {
            tables.shard(owner).post(std::move(run));
        }
    }
}

}  // namespace leat::api
