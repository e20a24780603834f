// The partitions that one shard owns, made on first use from the cluster image, and the table of
// these tables by which shards find each other's.
//
// Threads    A PartitionTable is used on its own shard only. PartitionTables itself never changes
//            once the shards run, but for OpenLogs, which is every shard's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/broker/partition.h"
#include "core/broker/partition_key.h"
#include "core/runtime/shards.h"

namespace leat::broker {

struct PartitionRef {
    PartitionKey key;
};

// From the image of the shard and the plugin instances: how to make the partition, or the error
// that a client gets for one that is not there (any more), or is not led here.
using PartitionMaker =
    std::function<std::variant<PartitionSetup, wire::ErrorCode>(const PartitionKey&)>;

class PartitionTable {
public:
    PartitionTable(sdk::Shard& shard, OpenLogs& open_logs, logging::Logger& logger,
                   PartitionMaker maker)
        : shard_{shard}, open_logs_{open_logs}, logger_{logger}, maker_{std::move(maker)} {}

    // [shard] Each of these makes and opens the partition if need be.
    void append(const PartitionRef& partition, AppendRequest request,
                sdk::Function<void(AppendOutcome)> done);
    // Nothing: not now; `retry` is called when asking again makes sense.
    std::optional<ReadOutcome> read(const PartitionRef& partition, const ReadRequest& request,
                                    sdk::Task retry);
    // `use` gets the open partition, or null and the error.
    void with_open(const PartitionKey& key, sdk::Function<void(Partition*, wire::ErrorCode)> use);

    // [shard] Calls `advanced` once, later, when the high watermark is above `seen` or the
    // partition has gone. forget() takes that back.
    void wait_above(const PartitionKey& key, sdk::Offset seen, FetchWaiters::Id id,
                    FetchWaiters::Runs where, sdk::Task advanced);
    void forget(const PartitionKey& key, FetchWaiters::Id id);

    // [shard] Made already, in whatever state it is.
    bool has(const PartitionKey& key) const { return partitions_.contains(key); }

    // [shard] Those made, in no order: their number can change with every turn. Null: gone by now.
    std::vector<PartitionKey> keys() const;
    Partition* made(const PartitionKey& key);
    const ShardFigures& figures() const { return figures_; }

    // [shard] The topic's record changed: configs, leadership.
    void changed(const PartitionKey& key);

    // [shard] The partition is no more: fails what waits for it, then has the engine forget it.
    void removed(const sdk::PartitionId& id, const std::string& engine_name,
                 sdk::StorageEngine& engine);

    // [shard] While fenced nothing is appended: another broker may lead by now.
    void fence(bool fenced) { fenced_ = fenced; }

    // [shard] Acknowledges what is written, syncs, writes what belongs beside the logs and destroys
    // them. `done` hears whether all of it ended well. Nothing is opened any more.
    void close_all(sdk::Function<void(bool)> done);

private:
    std::variant<Partition*, wire::ErrorCode> find(const PartitionKey& key);
    void retire(std::unique_ptr<Partition> partition, wire::ErrorCode error, bool discard,
                sdk::Function<void(bool)> done);
    void forget_stored(const sdk::PartitionId& id, const std::string& engine_name,
                       sdk::StorageEngine& engine);

    sdk::Shard& shard_;
    OpenLogs& open_logs_;
    logging::Logger& logger_;
    PartitionMaker maker_;
    ShardFigures figures_;
    std::unordered_map<PartitionKey, std::unique_ptr<Partition>, PartitionKeyHash> partitions_;
    bool closing_ = false;
    bool fenced_ = false;
};

class PartitionTables {
public:
    explicit PartitionTables(runtime::Shards& shards)
        : shards_{shards}, last_waiter_(shards.count(), 0) {}

    void add(std::unique_ptr<PartitionTable> table) { tables_.push_back(std::move(table)); }

    std::size_t count() const { return tables_.size(); }
    std::size_t owner(const PartitionKey& key) const { return shard_of(key, tables_.size()); }
    PartitionTable& at(std::size_t index) { return *tables_[index]; }
    sdk::Shard& shard(std::size_t index) { return shards_.at(index); }
    OpenLogs& open_logs() { return open_logs_; }  // [any shard]

    // [shard `home`] Unique over all shards.
    FetchWaiters::Id next_waiter(std::size_t home) {
        return ++last_waiter_[home] * tables_.size() + home;
    }

private:
    runtime::Shards& shards_;
    OpenLogs open_logs_;
    std::vector<std::unique_ptr<PartitionTable>> tables_;
    std::vector<FetchWaiters::Id> last_waiter_;
};

}  // namespace leat::broker
