#include "core/broker/partition_table.h"

#include "core/broker/plugin_call.h"
#include "core/runtime/offload.h"

namespace leat::broker {

using wire::ErrorCode;

std::variant<Partition*, ErrorCode> PartitionTable::find(const PartitionKey& key) {
    if (const auto found = partitions_.find(key); found != partitions_.end()) {
        return found->second.get();
    }
    if (closing_) return ErrorCode::not_leader_or_follower;
    auto made = maker_(key);
    if (const auto* error = std::get_if<ErrorCode>(&made)) return *error;
    auto partition = std::make_unique<Partition>(std::move(std::get<PartitionSetup>(made)), shard_,
                                                 open_logs_, logger_, figures_);
    return partitions_.emplace(key, std::move(partition)).first->second.get();
}

void PartitionTable::append(const PartitionRef& partition, AppendRequest request,
                            sdk::Function<void(AppendOutcome)> done) {
    if (fenced_) return done({.error = ErrorCode::not_leader_or_follower});
    const auto found = find(partition.key);
    if (const auto* error = std::get_if<ErrorCode>(&found)) return done({.error = *error});
    std::get<Partition*>(found)->append(std::move(request), std::move(done));
}

std::optional<ReadOutcome> PartitionTable::read(const PartitionRef& partition,
                                                const ReadRequest& request, sdk::Task retry) {
    const auto found = find(partition.key);
    if (const auto* error = std::get_if<ErrorCode>(&found)) return ReadOutcome{.error = *error};
    return std::get<Partition*>(found)->read(request, std::move(retry));
}

void PartitionTable::with_open(const PartitionKey& key,
                               sdk::Function<void(Partition*, ErrorCode)> use) {
    const auto found = find(key);
    if (const auto* error = std::get_if<ErrorCode>(&found)) return use(nullptr, *error);
    Partition* partition = std::get<Partition*>(found);
    partition->when_opened([partition, use = std::move(use)]() mutable {
        switch (partition->state()) {
            case Partition::State::open:
                return use(partition, ErrorCode::none);
            case Partition::State::offline:
                return use(nullptr, ErrorCode::kafka_storage_error);
            default:
                return use(nullptr, ErrorCode::not_leader_or_follower);
        }
    });
}

void PartitionTable::wait_above(const PartitionKey& key, sdk::Offset seen, FetchWaiters::Id id,
                                FetchWaiters::Runs where, sdk::Task advanced) {
    if (const auto found = partitions_.find(key); found != partitions_.end()) {
        found->second->wait_above(seen, id, where, std::move(advanced));
    } else {
        shard_.post(std::move(advanced));
    }
}

void PartitionTable::forget(const PartitionKey& key, FetchWaiters::Id id) {
    if (const auto found = partitions_.find(key); found != partitions_.end()) {
        found->second->forget(id);
    }
}

std::vector<PartitionKey> PartitionTable::keys() const {
    std::vector<PartitionKey> keys;
    keys.reserve(partitions_.size());
    for (const auto& [key, partition] : partitions_) keys.push_back(key);
    return keys;
}

Partition* PartitionTable::made(const PartitionKey& key) {
    const auto found = partitions_.find(key);
    return found == partitions_.end() ? nullptr : found->second.get();
}

void PartitionTable::changed(const PartitionKey& key) {
    const auto found = partitions_.find(key);
    if (found == partitions_.end()) return;
    auto made = maker_(key);
    if (auto* setup = std::get_if<PartitionSetup>(&made)) found->second->change(std::move(*setup));
}

void PartitionTable::removed(const sdk::PartitionId& id, const std::string& engine_name,
                             sdk::StorageEngine& engine) {
    auto node = partitions_.extract(PartitionKey{id.topic_id, id.index});
    if (node.empty()) return forget_stored(id, engine_name, engine);
    retire(std::move(node.mapped()), ErrorCode::unknown_topic_or_partition, true,
           [this, id, engine_name, &engine](bool) { forget_stored(id, engine_name, engine); });
}

// Keeps the partition alive until it is closed. It is destroyed from a task of its own, for it
// calls `done` while it is still at work.
void PartitionTable::retire(std::unique_ptr<Partition> partition, ErrorCode error, bool discard,
                            sdk::Function<void(bool)> done) {
    Partition* retired = partition.get();
    figures_.gone.add(retired->traffic());
    retired->close(
        error, discard,
        [this, partition = std::move(partition), done = std::move(done)](bool well) mutable {
            shard_.post([partition = std::move(partition)] {});
            done(well);
        });
}

void PartitionTable::forget_stored(const sdk::PartitionId& id, const std::string& engine_name,
                                   sdk::StorageEngine& engine) {
    runtime::offload(
        shard_,
        [id, engine_name, &engine] {
            return contained(engine_name, "remove", [&] { return engine.remove(id); });
        },
        [this, id, engine_name](const sdk::Status& status) {
            figures_.storage[engine_name].calls.made(status.has_value());
            if (status) return;
            logger_.log(logging::Level::error, "partition not removed from storage",
                        {{"topic", id.topic},
                         {"partition", std::to_string(id.index)},
                         {"storage", engine_name},
                         {"reason", status.error().what}});
        });
}

void PartitionTable::close_all(sdk::Function<void(bool)> done) {
    closing_ = true;
    struct Count {
        std::size_t left;
        bool well = true;
        sdk::Function<void(bool)> done;
    };
    auto partitions = std::exchange(partitions_, {});
    if (partitions.empty()) return done(true);
    // Shared by the partitions that are closing; the last one calls.
    auto count = std::make_shared<Count>(Count{partitions.size(), true, std::move(done)});
    for (auto& [key, partition] : partitions) {
        retire(std::move(partition), ErrorCode::not_leader_or_follower, false, [count](bool well) {
            count->well &= well;
            if (--count->left == 0) count->done(count->well);
        });
    }
}

}  // namespace leat::broker
