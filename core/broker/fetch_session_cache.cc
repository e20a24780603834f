#include "core/broker/fetch_session_cache.h"

#include "leat/sdk/ensure.h"

namespace leat::broker {

using wire::ErrorCode;

namespace {

// What a session and each of its partitions hold, generously: the partition, its place in the
// session's table, the watch at the partition.
constexpr std::uint64_t session_bytes = 2048;
constexpr std::uint64_t partition_bytes = 384;

std::size_t share_of(const FetchSessionCache::Options& options) {
    const std::size_t rest = options.most_sessions % options.shards;
    return options.most_sessions / options.shards + (options.shard < rest ? 1 : 0);
}

}  // namespace

FetchSessionCache::FetchSessionCache(Options options)
    : options_{std::move(options)}, most_sessions_{share_of(options_)} {}

std::optional<std::size_t> FetchSessionCache::shard_of(std::int32_t id, std::size_t shards) {
    if (id <= no_session) return std::nullopt;
    return static_cast<std::size_t>(id) % shards;
}

std::int32_t FetchSessionCache::epoch_after(std::int32_t epoch) {
    return epoch == INT32_MAX ? 1 : epoch + 1;
}

std::uint64_t FetchSessionCache::bytes() const {
    return sessions_.size() * session_bytes + partitions_ * partition_bytes;
}

bool FetchSessionCache::has_room_for(std::size_t partitions) const {
    return sessions_.size() < most_sessions_ &&
           bytes() + session_bytes + partitions * partition_bytes <= options_.most_bytes;
}

std::optional<std::int32_t> FetchSessionCache::worth_less(sdk::Instant now,
                                                          const NewSession& session) const {
    if (by_last_use_.empty()) return std::nullopt;
    const auto& [last_use, silent] = *by_last_use_.begin();
    if (now - last_use > safe_for) return silent;
    const auto& evictable = session.privileged ? evictable_by_privileged_ : evictable_by_all_;
    if (evictable.empty()) return std::nullopt;
    if (Worth{session.privileged, session.partitions, no_session} < *evictable.begin()) {
        return std::nullopt;
    }
    return std::get<std::int32_t>(*evictable.begin());
}

FetchSessionCache::Made FetchSessionCache::make(sdk::Instant now, const NewSession& session) {
    Made made;
    const std::uint64_t needed = session_bytes + session.partitions * partition_bytes;
    if (most_sessions_ == 0 || needed > options_.most_bytes) return made;
    while (!has_room_for(session.partitions)) {
        const auto goes = worth_less(now, session);
        if (!goes) return made;
        remove(*goes);
        made.evicted.push_back(*goes);
    }
    made.id = new_id();
    Session& entered = sessions_[made.id];
    entered = {.is = session, .made = now};
    enter(made.id, entered, now, session.partitions);
    return made;
}

ErrorCode FetchSessionCache::take(std::int32_t id, std::int32_t epoch, bool by_id) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return ErrorCode::fetch_session_id_not_found;
    Session& session = found->second;
    if (session.epoch != epoch) return ErrorCode::invalid_fetch_session_epoch;
    if (session.is.by_id != by_id) return ErrorCode::fetch_session_topic_id_error;
    session.epoch = epoch_after(epoch);
    return ErrorCode::none;
}

bool FetchSessionCache::used(std::int32_t id, sdk::Instant now, std::size_t partitions) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return true;
    Session& session = found->second;
    leave(id, session);
    enter(id, session, now, partitions);
    return bytes() <= options_.most_bytes;
}

bool FetchSessionCache::remove(std::int32_t id) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return false;
    leave(id, found->second);
    sessions_.erase(found);
    return true;
}

void FetchSessionCache::enter(std::int32_t id, Session& session, sdk::Instant now,
                              std::size_t partitions) {
    session.is.partitions = partitions;
    session.used = now;
    partitions_ += partitions;
    by_last_use_.emplace(now, id);
    const Worth worth{session.is.privileged, partitions, id};
    const bool old = now - session.made > safe_for;
    if (old) evictable_by_all_.insert(worth);
    if (old || !session.is.privileged) evictable_by_privileged_.insert(worth);
}

void FetchSessionCache::leave(std::int32_t id, const Session& session) {
    const Worth worth{session.is.privileged, session.is.partitions, id};
    evictable_by_all_.erase(worth);
    evictable_by_privileged_.erase(worth);
    by_last_use_.erase({session.used, id});
    sdk::ensure(partitions_ >= session.is.partitions, "what entered the count leaves it once");
    partitions_ -= session.is.partitions;
}

std::int32_t FetchSessionCache::new_id() const {
    const auto shards = static_cast<std::uint32_t>(options_.shards);
    const std::uint32_t ids = INT32_MAX / shards;
    std::uint32_t drawn = options_.random() % (ids - 1);
    while (true) {  // There are fewer sessions than ids.
        const auto id = static_cast<std::int32_t>((drawn + 1) * shards +
                                                  static_cast<std::uint32_t>(options_.shard));
        if (!sessions_.contains(id)) return id;
        drawn = (drawn + 1) % (ids - 1);
    }
}

}  // namespace leat::broker
