#include "core/broker/fetch_sessions.h"

#include <utility>

namespace leat::broker {
namespace {

constexpr std::uint64_t share_of_budget = 8;  // One part of so many.

FetchSessionCache::Options cache_options(PartitionTables& tables, std::size_t home,
                                         const FetchSessionLimits& limits) {
    const std::uint64_t budget = limits.memory != nullptr ? limits.memory->limit() : UINT64_MAX;
    return {.shard = home,
            .shards = tables.count(),
            .most_sessions = limits.most_sessions,
            .most_bytes = budget / share_of_budget / tables.count(),
            .random = limits.random};
}

}  // namespace

FetchSessions::FetchSessions(PartitionTables& tables, std::size_t home,
                             const FetchSessionLimits& limits)
    : tables_{tables},
      home_{home},
      memory_{limits.memory},
      cache_{cache_options(tables, home, limits)} {}

FetchSessions::~FetchSessions() {
    if (memory_ != nullptr) memory_->give_back(charged_);
}

std::int32_t FetchSessions::make(const FetchSessionCache::NewSession& session,
                                 const std::function<void(SessionPartitions&)>& fill) {
    const sdk::Instant now = tables_.shard(home_).now();
    const auto made = cache_.make(now, session);
    for (const std::int32_t id : made.evicted) end(id);
    const bool paid = charge();
    if (made.id == FetchSessionCache::no_session || !paid) {
        remove(made.id);
        return FetchSessionCache::no_session;
    }
    auto created = std::make_shared<FetchSession>(tables_, home_, session.by_id);
    fill(created->partitions());
    cache_.used(made.id, now, created->partitions().size());
    charge();
    sessions_.emplace(made.id, std::move(created));
    return made.id;
}

std::variant<std::shared_ptr<FetchSession>, wire::ErrorCode> FetchSessions::take(std::int32_t id,
                                                                                 std::int32_t epoch,
                                                                                 bool by_id) {
    const auto error = cache_.take(id, epoch, by_id);
    if (error != wire::ErrorCode::none) return error;
    return sessions_.at(id);
}

bool FetchSessions::used(std::int32_t id, FetchSession& session) {
    const bool fits = cache_.used(id, tables_.shard(home_).now(), session.partitions().size());
    if (fits && charge()) return true;
    remove(id);
    return false;
}

void FetchSessions::remove(std::int32_t id) {
    if (!cache_.remove(id)) return;
    end(id);
    charge();
}

void FetchSessions::end(std::int32_t id) {
    auto session = sessions_.extract(id);
    if (!session.empty()) session.mapped()->end();
}

// Follows the cache, up or down. False: the budget has no more.
bool FetchSessions::charge() {
    const std::uint64_t bytes = cache_.bytes();
    if (memory_ == nullptr || bytes == charged_) return true;
    if (bytes < charged_) {
        memory_->give_back(charged_ - bytes);
    } else if (!memory_->take(bytes - charged_)) {
        return false;
    }
    charged_ = bytes;
    return true;
}

}  // namespace leat::broker
