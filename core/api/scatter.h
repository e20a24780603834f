// For requests that ask the same of many partitions: asks each on the shard that owns it, and
// answers at home when the last has answered.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/api/lookup.h"
#include "core/broker/partition_table.h"
#include "leat/sdk/function.h"

namespace leat::api {

// What a request wants of the partitions that it names, in its order. `Wanted` is a partition of
// the request and has a `current_leader_epoch`, `Answer` is one of the response and has an
// `error_code`.
template <class Wanted, class Answer>
class Questions {
public:
    // `blank` is the answer as far as it is known beforehand. Nobody is asked if it has an error,
    // or gets one because there is no such partition.
    void add(const cluster::Image& image, const NamedPartition& named, const Wanted& wanted,
             Answer blank) {
        if (blank.error_code == wire::ErrorCode::none) {
            const auto found = find_partition(image, named);
            if (const auto* error = std::get_if<wire::ErrorCode>(&found)) {
                blank.error_code = *error;
            } else {
                to_ask_.push_back(
                    {answers_.size(), std::get<broker::PartitionRef>(found).key, wanted});
            }
        }
        answers_.push_back(std::move(blank));
    }

    // `ask(partition, wanted, answer, give)` runs on the owner's shard where the partition is open
    // and the asker's leader epoch is right; it calls `give(answer)` once, there, and begins from
    // the blank one. `done` gets all answers, on the shard `home`.
    template <class Ask>
    void ask(broker::PartitionTables& tables, std::size_t home, Ask ask,
             sdk::Function<void(std::vector<Answer>)> done) && {
        if (to_ask_.empty()) return done(std::move(answers_));
        const std::size_t missing = to_ask_.size();
        // Shared by the shards that are asked: they read `to_ask` and `ask`, the rest is home's.
        auto all = std::make_shared<Scattered<Ask>>(
            Scattered<Ask>{tables, home, std::move(to_ask_), std::move(ask), std::move(answers_),
                           missing, std::move(done)});
        for (const ToAsk& one : all->to_ask) {
            const std::size_t owner = tables.owner(one.key);
            auto run = [all, &one, owner, blank = all->answers[one.place]]() mutable {
                put(all, one, owner, std::move(blank));
            };
            owner == home ? run() : tables.shard(owner).post(std::move(run));
        }
    }

private:
    struct ToAsk {
        std::size_t place;
        broker::PartitionKey key;
        Wanted wanted;
    };

    template <class Ask>
    struct Scattered {
        broker::PartitionTables& tables;
        std::size_t home;
        std::vector<ToAsk> to_ask;
        Ask ask;
        std::vector<Answer> answers;
        std::size_t missing;
        sdk::Function<void(std::vector<Answer>)> done;

        void came(std::size_t place, Answer answer) {
            answers[place] = std::move(answer);
            if (--missing == 0) done(std::move(answers));
        }
    };

    // [owner]
    template <class Ask>
    static void put(const std::shared_ptr<Scattered<Ask>>& all, const ToAsk& one, std::size_t owner,
                    Answer blank) {
        auto give = [all, owner, place = one.place](Answer answer) {
            if (owner == all->home) return all->came(place, std::move(answer));
            all->tables.shard(all->home).post([all, place, answer = std::move(answer)]() mutable {
                all->came(place, std::move(answer));
            });
        };
        all->tables.at(owner).with_open(
            one.key, [all, &one, blank = std::move(blank), give = std::move(give)](
                         broker::Partition* partition, wire::ErrorCode error) mutable {
                if (partition != nullptr)
                    error = partition->check_epoch({one.wanted.current_leader_epoch});
                blank.error_code = error;
                if (error != wire::ErrorCode::none) return give(std::move(blank));
                all->ask(*partition, one.wanted, std::move(blank), std::move(give));
            });
    }

    std::vector<ToAsk> to_ask_;
    std::vector<Answer> answers_;
};

}  // namespace leat::api
