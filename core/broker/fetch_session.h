// The driver of one incremental fetch session (KIP-227): has changed partitions looked at, keeps
// watches at those that have settled, and picks what an answer has to hold.
//
// Lives on one shard, its home. Its fetches come there, whatever connection they came by; one runs
// at a time. One that comes meanwhile (a client that asks again over another connection) ends the
// one that runs without an answer: the epoch has moved on.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/broker/fetch.h"
#include "core/broker/partition_table.h"
#include "core/broker/session_partitions.h"

namespace leat::broker {

// A partition that an answer holds.
struct SessionAnswer {
    SessionTopic topic;
    std::int32_t index = 0;
    ReadOutcome outcome;
};

// [home] Throughout. Owned by FetchSessions, and by a fetch that outlives its eviction.
class FetchSession final : public FetchWatcher, public std::enable_shared_from_this<FetchSession> {
public:
    using Slot = SessionPartitions::Slot;
    // Resolves what the session names, by the image of now. May fill in the topic's name.
    using Resolve =
        std::function<FetchItem(SessionTopic&, std::int32_t, const SessionPartitions::Asked&)>;
    // Nothing: another request has taken its place.
    using Done = sdk::Function<void(std::optional<std::vector<SessionAnswer>>)>;

    // Shared by the session and whoever may want to hurry it.
    struct Fetch {
        FetchRequest limits;  // Without items.
        Resolve resolve;
        Done done;
        bool hurried = false;
        bool superseded = false;
        std::vector<Slot> slots{};  // By item.
        std::weak_ptr<FetchOperation> operation{};
    };

    FetchSession(PartitionTables& tables, std::size_t home, bool by_id)
        : tables_{tables}, home_{home}, partitions_{by_id} {}

    // Between fetches only, see when_free(). Fill it and ask.
    SessionPartitions& partitions() { return partitions_; }
    void forget(const SessionTopic& topic, std::int32_t index);

    // Runs `task` when no fetch does, at once if that is so; a running one ends.
    void when_free(sdk::Task task);

    // From within when_free()'s task.
    void begin(const std::shared_ptr<Fetch>& fetch);
    // Answers it now with what there is.
    void hurry(Fetch& fetch);

    // It is in the cache no more: what runs ends with an answer, then the watches are taken back.
    void end();

    void moved(std::uint32_t slot) override;

private:
    static constexpr std::uint32_t no_item = UINT32_MAX;
    struct Watch {
        PartitionKey at;
        FetchWaiters::Id id = 0;
        std::uint32_t item = no_item;  // Of the fetch that runs.
    };

    FetchItem next_item(Fetch& fetch, Slot slot);
    void finished(const std::shared_ptr<Fetch>& fetch, std::vector<ReadOutcome> outcomes);
    std::vector<SessionAnswer> answers(const Fetch& fetch, std::vector<ReadOutcome> outcomes);
    void free_again();
    void take_back(const std::vector<Watch>& watches);

    PartitionTables& tables_;
    const std::size_t home_;
    SessionPartitions partitions_;
    std::vector<Watch> watches_;  // By slot.
    std::shared_ptr<Fetch> running_;
    std::deque<sdk::Task> waiting_;
    bool ended_ = false;
};

}  // namespace leat::broker
