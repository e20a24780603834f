// The incremental fetch sessions of one shard (KIP-227): the cache's rules, the sessions that it
// speaks of, and their memory, which is charged to the broker's budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <variant>

#include "core/broker/fetch_session.h"
#include "core/broker/fetch_session_cache.h"
#include "core/runtime/memory_budget.h"

namespace leat::broker {

// What a broker lets its clients have.
struct FetchSessionLimits {
    std::size_t most_sessions = 1000;  // Of all shards.
    // Charged for sessions, if there is one; they take an eighth of it at most.
    runtime::MemoryBudget* memory = nullptr;
    std::function<std::uint32_t()> random;  // [any shard]
};

// [shard] Throughout.
class FetchSessions {
public:
    FetchSessions(PartitionTables& tables, std::size_t home, const FetchSessionLimits& limits);
    ~FetchSessions();
    FetchSessions(const FetchSessions&) = delete;
    FetchSessions& operator=(const FetchSessions&) = delete;

    // A full fetch was answered: `fill` enters its partitions. FetchSessionCache::no_session where
    // there is no room, which clients take for a broker without sessions.
    std::int32_t make(const FetchSessionCache::NewSession& session,
                      const std::function<void(SessionPartitions&)>& fill);

    // An incremental fetch: the session that it continues, or its error.
    std::variant<std::shared_ptr<FetchSession>, wire::ErrorCode> take(std::int32_t id,
                                                                      std::int32_t epoch,
                                                                      bool by_id);
    // After its partitions were changed. False: they have no room, and it is gone.
    bool used(std::int32_t id, FetchSession& session);
    void remove(std::int32_t id);

    std::size_t size() const { return cache_.size(); }

private:
    void end(std::int32_t id);
    bool charge();

    PartitionTables& tables_;
    const std::size_t home_;
    runtime::MemoryBudget* const memory_;
    FetchSessionCache cache_;
    std::unordered_map<std::int32_t, std::shared_ptr<FetchSession>> sessions_;
    std::uint64_t charged_ = 0;
};

}  // namespace leat::broker
