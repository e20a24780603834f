// One Fetch, from its first look at the partitions to its answer: gathers slices from the shards
// that own them and, when there is too little, waits until enough was appended or its time is up.
//
// Two ways to wait: by itself, with a waiter left at each partition until it ends; or in a fetch
// session, whose watches stay at partitions between its fetches. There the look itself leaves the
// watch, on the partition's shard, when it has found all there is: whatever comes later is told.
//
// A FetchOperation lives on the shard of the connection that asked (home). It is shared by its
// timer, by visits under way on other shards and by the waiters left at partitions, hence
// shared_ptr; whoever of them comes to a finished one does nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/broker/partition.h"
#include "core/broker/partition_table.h"

namespace leat::broker {

struct FetchItem {
    PartitionRef partition;
    // Set where the caller has found an error already (unknown topic): then it is not read.
    wire::ErrorCode error = wire::ErrorCode::none;
    ReadRequest read;
    // In a session: its slot there, under what id its watch is left, and an error that the client
    // has been told already and that therefore ends no wait.
    std::uint32_t slot = 0;
    FetchWaiters::Id watch = 0;
    wire::ErrorCode told = wire::ErrorCode::none;
};

// Nothing is left to read, and nothing is wrong: until the partition moves, a look finds the same.
bool has_settled(const ReadRequest& read, const ReadOutcome& outcome);

// [home] Hears that a partition has moved at which a look had left a watch. Each is told once.
class FetchWatcher {
public:
    virtual void moved(std::uint32_t slot) = 0;

protected:
    ~FetchWatcher() = default;
};

struct FetchRequest {
    std::vector<FetchItem> items;
    std::size_t max_bytes = 0;
    std::size_t min_bytes = 0;
    std::chrono::milliseconds max_wait{0};
};

class FetchOperation : public std::enable_shared_from_this<FetchOperation> {
public:
    // One outcome per item, in order.
    using Done = sdk::Function<void(std::vector<ReadOutcome>)>;

    // With a watcher, each item has a watch.
    FetchOperation(PartitionTables& tables, std::size_t home, FetchRequest request, Done done,
                   std::weak_ptr<FetchWatcher> watcher = {});

    // [home] `done` may be called before this returns.
    void start();

    // [home] Answers now with what there is: the connection is gone, or the broker drains.
    void hurry();

    // [home] In a session: a partition has moved that was looked at, or one that was not.
    void look_again(std::size_t item);
    void add(FetchItem item);

private:
    // A look at all items that one shard owns, one after the other, so that each knows how many
    // bytes those before it have taken.
    struct Visit {
        std::size_t owner;
        std::vector<std::size_t> items;
        std::vector<ReadOutcome> outcomes;
        std::size_t taken =
            0;  // Bytes by all items that are not in `items`, then also by those seen.
    };
    using SharedVisit = std::shared_ptr<Visit>;

    void look_on();
    SharedVisit next_visit();
    void continue_visit(const SharedVisit& visit);  // [owner]
    void end_visit(const SharedVisit& visit);       // [home]
    void leave_watch(PartitionTable& table, const FetchItem& item, const ReadOutcome& outcome,
                     bool here);  // [owner]
    void take_added();
    void set_outcome(std::size_t item, ReadOutcome outcome);
    bool is_urgent(std::size_t item) const;
    bool enough() const;
    void park();
    void wait_at(std::size_t item);
    void advanced(std::size_t item);
    void finish();

    PartitionTables& tables_;
    const std::size_t home_;
    FetchRequest request_;
    Done done_;
    const std::weak_ptr<FetchWatcher> watcher_;
    const bool in_session_;
    std::vector<FetchItem> added_;  // While a visit reads `request_`.
    std::vector<ReadOutcome> outcomes_;
    std::size_t bytes_ = 0;   // Of all outcomes.
    std::size_t urgent_ = 0;  // Outcomes that the client must hear of at once.
    std::vector<std::size_t> to_look_at_;
    std::vector<FetchWaiters::Id> waiting_as_;  // 0: no waiter is left at this item's partition.
    sdk::TimerId timer_ = sdk::TimerId::none;
    bool looking_ = false;
    bool hurried_ = false;
    bool finished_ = false;
};

}  // namespace leat::broker
