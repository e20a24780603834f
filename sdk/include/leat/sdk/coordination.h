// What a coordination backend implements: a small linearizable store with sessions. Nothing in it
// is shaped like Kafka; topics, partitions and brokers are values that the core writes.
//
// Keys       Paths such as "/topics/orders". A prefix names every key that begins with it.
// Values     Small (at most most_value_bytes), JSON by the core's convention, opaque to the
//            backend.
// Revisions  Each committed transaction gets a revision above every earlier one. A key's revision
//            is that of the transaction that put it last.
// Safety     Rests on commit() alone. read() and watch() are hints that are mostly right.
// Threads    Every call and every callback happens on the instance's shard (PluginContext::shard).
//            Callbacks never run inside the call that registered them.
// Lifetime   After the destructor has returned no callback runs; callbacks that are pending are
//            dropped without being called.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "leat/sdk/function.h"
#include "leat/sdk/result.h"
#include "leat/sdk/strong.h"

namespace leat::sdk {

inline constexpr std::size_t most_operations = 100;           // In one transaction.
inline constexpr std::size_t most_value_bytes = 512 * 1024;
inline constexpr std::size_t most_key_bytes = 512;

struct KeyValue {
    std::string key;
    std::string value;
    Revision revision;  // Of the transaction that put it.

    bool operator==(const KeyValue&) const = default;
};

// Holds if the key's revision is exactly this; Revision{0}: if there is no such key. Absence may be
// checked only of a key that the same transaction puts, for other stores could not promise it else.
struct Check {
    std::string key;
    Revision revision;
};
struct Put {
    std::string key;
    std::string value;
    bool ephemeral = false;  // Goes away with the session of the store that put it.
};
struct Delete {
    std::string key;  // No error if there is none.
};

// All or nothing. A key is put or deleted at most once in it. A key that is ever checked must never
// be deleted and made again (some stores restart its version): the core's duty.
struct Transaction {
    std::vector<Check> checks;
    std::vector<std::variant<Put, Delete>> operations;
};

// How a transaction ended.
struct Committed {
    Revision revision;
};
struct Conflict {
    std::string key;  // The first check that did not hold.
};
// It may have happened or not: the connection was lost while it was under way. The caller re-reads
// and looks for its own token in the value.
struct Unknown {
    std::string why;
};
using CommitOutcome = std::variant<Committed, Conflict, Unknown>;

struct Snapshot {
    Revision revision;            // What is in `entries` is at least as new as this.
    std::vector<KeyValue> entries;  // Ordered by key. Single entries may be newer than `revision`.
};

struct KeyChanged {
    KeyValue entry;
};
struct KeyDeleted {
    std::string key;
    Revision revision;
};
// Changes may have been missed: read the prefix again, then go on; the watch stays.
struct Resync {};
using WatchEvent = std::variant<KeyChanged, KeyDeleted, Resync>;

// Ordered per key; the same event may come twice and older ones may repeat: drop what is not newer.
using Watcher = Function<void(const std::vector<WatchEvent>&)>;

enum class SessionEvent {
    established,  // Ephemeral keys put from now on are this session's.
    suspended,    // Cannot reach the store. The session may or may not live on.
    lost,         // Its ephemeral keys are gone or will be. A new `established` may follow.
};

struct SessionOptions {
    std::chrono::milliseconds timeout{9000};  // Silence after which the store ends the session.
};

class CoordinationBackend {
public:
    virtual ~CoordinationBackend() = default;

    // Begins the one session of this instance and keeps it alive until destruction. Called once,
    // first. An error that no retry can mend (a journal that is damaged, a folder that is in use)
    // is returned; everything else shows as SessionEvent.
    virtual Status start(SessionOptions options, Function<void(SessionEvent)> on_session) = 0;

    // Errors: Errc::invalid_argument (too many operations, a value too large, a key twice, an
    // absence checked without its put), Errc::unavailable (surely not committed, later it may be:
    // no session, or too many wait), Errc::no_space (the same, for the device is full), Errc::io
    // (surely not committed, and this store will take nothing any more).
    virtual void commit(Transaction transaction, Function<void(Result<CommitOutcome>)> done) = 0;

    // Shows what this instance was told is committed. Errors: Errc::unavailable, Errc::io, as
    // above.
    virtual void read(std::string prefix, Function<void(Result<Snapshot>)> done) = 0;

    // From now on `watcher` hears of changes under `prefix` newer than `after`; of what happened in
    // between at once, or Resync. A prefix has one watcher: the latest.
    virtual void watch(std::string prefix, Revision after, Watcher watcher) = 0;
};

}  // namespace leat::sdk
