#include "core/broker/produce.h"

#include <utility>

namespace leat::broker {
namespace {

// Shared by the shards at work on it and the timer. Outcomes come home by message.
class ProduceOperation : public std::enable_shared_from_this<ProduceOperation> {
public:
    ProduceOperation(PartitionTables& tables, std::size_t home, ProduceRequest request,
                     sdk::Function<void(std::vector<AppendOutcome>)> done)
        : tables_{tables},
          home_{home},
          request_{std::move(request)},
          done_{std::move(done)},
          outcomes_(request_.items.size(), {.error = wire::ErrorCode::request_timed_out}),
          missing_(request_.items.size() + 1) {}

    void start() {
        auto self = shared_from_this();
        std::vector<std::vector<std::size_t>> elsewhere;  // By owner; seldom anything.
        for (std::size_t item = 0; item < request_.items.size(); ++item) {
            ProduceItem& wanted = request_.items[item];
            if (wanted.error != wire::ErrorCode::none) {
                came_home(item, {.error = wanted.error});
            } else if (const auto owner = tables_.owner(wanted.partition.key); owner == home_) {
                append(home_, item);
            } else if (request_.items.size() == 1) {
                tables_.shard(owner).post([self, owner] { self->append(owner, 0); });
            } else {
                elsewhere.resize(tables_.count());
                elsewhere[owner].push_back(item);
            }
        }
        for (std::size_t owner = 0; owner < elsewhere.size(); ++owner) {
            if (elsewhere[owner].empty()) continue;
            tables_.shard(owner).post([self, owner, items = std::move(elsewhere[owner])] {
                for (const std::size_t item : items) self->append(owner, item);
            });
        }
        if (--missing_ == 0) return finish();
        if (request_.acks != Acks::all) return;
        timer_ = tables_.shard(home_).after(request_.timeout, [self] { self->time_out(); });
    }

private:
    void append(std::size_t owner, std::size_t item) {
        const ProduceItem& wanted = request_.items[item];
        AppendRequest append{.owner = request_.owner,
                             .records = wanted.records,
                             .wait_for_commit = request_.acks == Acks::all,
                             .acknowledged = request_.acks != Acks::none,
                             .zstd = request_.zstd};
        auto self = shared_from_this();
        const bool at_home = owner == home_;
        tables_.at(owner).append(
            wanted.partition, std::move(append), [self, item, at_home](AppendOutcome outcome) {
                if (at_home) return self->came_home(item, std::move(outcome));
                self->tables_.shard(self->home_)
                    .post([self, item, outcome = std::move(outcome)]() mutable {
                        self->came_home(item, std::move(outcome));
                    });
            });
    }

    void came_home(std::size_t item, AppendOutcome outcome) {
        if (finished_) return;
        outcomes_[item] = std::move(outcome);
        if (--missing_ == 0) finish();
    }

    void time_out() {
        timer_ = sdk::TimerId::none;
        if (!finished_) finish();
    }

    void finish() {
        finished_ = true;
        if (timer_ != sdk::TimerId::none) tables_.shard(home_).cancel(timer_);
        done_(std::move(outcomes_));
    }

    PartitionTables& tables_;
    const std::size_t home_;
    ProduceRequest request_;
    sdk::Function<void(std::vector<AppendOutcome>)> done_;
    std::vector<AppendOutcome> outcomes_;  // Of those that are still out: that time ran out.
    std::size_t missing_;                  // Outcomes, and one for start() itself.
    sdk::TimerId timer_ = sdk::TimerId::none;
    bool finished_ = false;
};

}  // namespace

void produce(PartitionTables& tables, std::size_t home, ProduceRequest request,
             sdk::Function<void(std::vector<AppendOutcome>)> done) {
    std::make_shared<ProduceOperation>(tables, home, std::move(request), std::move(done))->start();
}

}  // namespace leat::broker
