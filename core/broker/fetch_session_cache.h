// Which incremental fetch sessions one shard has (KIP-227): their ids, whose turn it is, and which
// one goes when there is no room. A machine: it holds numbers, no partitions, and has no clock.
//
// An id says its shard, so that a client may continue a session over any connection. Ids are drawn
// at random: a session belongs to whoever knows its id and its epoch, as in Kafka, not to the
// connection that it was begun on.
//
// Room is counted in sessions (Kafka's max.incremental.fetch.session.cache.slots, shared out over
// the shards as Kafka shares it over its cache's parts) and in bytes, which Kafka does not limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/wire/error_code.h"
#include "leat/sdk/shard.h"

namespace leat::broker {

class FetchSessionCache {
public:
    static constexpr std::int32_t no_session = 0;
    static constexpr std::int32_t first_epoch = 0;   // Asks for a session.
    static constexpr std::int32_t final_epoch = -1;  // Asks for none.
    // A younger session is safe from larger ones, and one that was used since from all but a
    // follower's. Kafka has no setting for it either.
    static constexpr std::chrono::minutes safe_for{2};

    struct Options {
        std::size_t shard = 0;
        std::size_t shards = 1;
        std::size_t most_sessions = 1000;  // Of all shards.
        std::uint64_t most_bytes = UINT64_MAX;
        std::function<std::uint32_t()> random;
    };
    explicit FetchSessionCache(Options options);

    // None has this id on any shard: nothing.
    static std::optional<std::size_t> shard_of(std::int32_t id, std::size_t shards);
    // After the largest comes 1, for 0 begins a session.
    static std::int32_t epoch_after(std::int32_t epoch);

    struct NewSession {
        bool privileged = false;  // A follower's: evicts any consumer's.
        bool by_id = false;       // Its requests name topics by id.
        std::size_t partitions = 0;
    };
    struct Made {
        std::int32_t id = no_session;
        std::vector<std::int32_t> evicted;
    };
    // With room, or with one evicted that has been silent for longer than `safe_for`, or that is
    // old and worth less: a consumer's beside a follower's, else one of fewer partitions.
    Made make(sdk::Instant now, const NewSession& session);

    // Takes the request in, which makes its epoch that of the past; or says why not.
    wire::ErrorCode take(std::int32_t id, std::int32_t epoch, bool by_id);
    // It was used, and has so many partitions now. False: they have no room, and it must go.
    bool used(std::int32_t id, sdk::Instant now, std::size_t partitions);
    // False if there is none.
    bool remove(std::int32_t id);

    std::size_t size() const { return sessions_.size(); }
    std::uint64_t bytes() const;

private:
    struct Session {
        NewSession is;
        std::int32_t epoch = 1;
        sdk::Instant made{0};
        sdk::Instant used{0};
    };
    using LastUse = std::pair<sdk::Instant, std::int32_t>;
    using Worth = std::tuple<bool, std::size_t, std::int32_t>;

    bool has_room_for(std::size_t partitions) const;
    std::optional<std::int32_t> worth_less(sdk::Instant now, const NewSession& session) const;
    void enter(std::int32_t id, Session& session, sdk::Instant now, std::size_t partitions);
    void leave(std::int32_t id, const Session& session);
    std::int32_t new_id() const;

    const Options options_;
    const std::size_t most_sessions_;
    std::unordered_map<std::int32_t, Session> sessions_;
    std::size_t partitions_ = 0;
    std::set<LastUse> by_last_use_;
    std::set<Worth> evictable_by_all_;
    std::set<Worth> evictable_by_privileged_;
};

}  // namespace leat::broker
