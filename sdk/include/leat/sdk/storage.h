// What a storage plugin implements. The smallest complete one is plugins/storage/memory.
//
//   core                                 plugin
//    |-- StorageEngine::open ------------->|   [worker] once per partition replica, on first use
//    |-- Log::append / read / seek ------->|   [shard] from the shard that owns the partition
//    |-- Log::flush ---------------------->|   [worker] while appends go on
//    |-- Log::truncate / trim ------------>|   [worker]
//    |-- RewritableLog, SideFiles -------->|   [worker] where the engine has these abilities
//    |-- ~Log ---------------------------->|   [worker] the last call
//
// Threads    [shard]: one call at a time for one Log, and it must not wait for a device: writing
//            into the page cache is fine, reading what is not resident is not.
//            [worker]: may wait. flush may overlap append, read, seek, bounds and extents. truncate
//            and trim may overlap nothing of the same Log but read, seek, bounds and extents.
//            Calls to different Logs, and engine calls for different partitions, may overlap.
// Lifetime   Every Log is destroyed before its engine, the engine before the library.
// Errors     A returned Error takes this partition offline, not the broker; so does an exception.
//            Exceptions to that rule: Errc::out_of_range from read, Errc::no_space from append
//            (nothing of it was kept; reads go on, a later append may work) or from a side file.
// Bytes      A batch is Kafka's record batch, format v2 (Kafka documentation, "Record Batch"). An
//            engine may read the 61 byte header; it never changes a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/function.h"
#include "leat/sdk/result.h"
#include "leat/sdk/slice.h"
#include "leat/sdk/strong.h"
#include "leat/sdk/uuid.h"

namespace leat::sdk {

struct PartitionId {
    Uuid topic_id;
    std::string topic;  // A legal Kafka topic name: no path tricks in it.
    std::int32_t index = 0;

    bool operator==(const PartitionId&) const = default;
};

// What the core says about a log when it opens it. Rolls are the core's decision (Log::seal).
struct LogOptions {
    std::uint64_t segment_bytes = 1ull << 30;   // The core seals before an extent exceeds it.
    std::uint32_t index_interval_bytes = 4096;  // One index entry for so many bytes at most.
};

// A whole record batch as it is on the wire, base offset and leader epoch already stamped.
struct StampedBatch {
    Offset base;  // May lie above the log's end: gaps are legal (a follower of a compacted log).
    Offset next;  // One above its last record.
    Timestamp max_timestamp;
    std::span<const std::byte> bytes;  // Valid during the call only.
};

// Offsets held are [begin, end). Those below `flushed` survive a power cut. An engine that is not
// durable may raise `begin` by itself when it must hold no more: by whole extents, the oldest
// first, and it says in the log what went.
struct LogBounds {
    Offset begin;
    Offset end;
    Offset flushed;

    bool operator==(const LogBounds&) const = default;
};

// A run of batches that is kept, sealed and deleted as one: a segment file, a block.
struct Extent {
    Offset base;
    Offset next;
    std::uint64_t bytes = 0;
    Timestamp max_timestamp{-1};

    bool operator==(const Extent&) const = default;
};

// What read() found. With `bring_in` set there are no slices: what was asked for is not resident.
// The core runs bring_in on a worker, then reads again.
struct ReadAnswer {
    std::vector<Slice> slices;
    Task bring_in{};
};

// Optional ability: small named files beside a log, each replaced as a whole. The core keeps
// producer snapshots and leader epochs in them. All [worker].
class SideFiles {
public:
    // Durable when it returns; after a crash the file is the old or the new one.
    virtual Status write(std::string_view name, std::span<const std::byte> bytes) = 0;
    virtual Result<std::vector<std::byte>> read(std::string_view name) = 0;  // Errc::not_found
    virtual Status remove(std::string_view name) = 0;  // Fine if there is none.
    virtual Result<std::vector<std::string>> list() = 0;

protected:
    ~SideFiles() = default;
};

// The core's rules about names: `<20 digits>.snapshot` and `.producers`, `leader-epoch-checkpoint`,
// `partition.metadata`.

// A rewrite of whole extents that is under way: written beside the log, which goes on as if there
// were none, until commit(). Destroyed without one, it has never been. All [worker], one at a time;
// append and flush may overlap every call of the log, commit what trim may overlap. It does not
// outlive its log.
class Rewrite {
public:
    virtual ~Rewrite() = default;  // [worker]

    // What is to take the place of the extents: in order, within them, gaps allowed; the bytes are
    // valid during the call. After an error there is nothing but to destroy it; the log is as it
    // was. Errc::no_space, Errc::limit: so much does not fit.
    virtual Status append(std::span<const StampedBatch> batches) = 0;

    // Makes durable what was appended, so that commit() is short. Errors as append.
    virtual Status flush() = 0;

    // Puts it in the extents' place, durably: after a crash the log has either all of the old
    // batches or all of the new ones. Slices handed out before stay readable. Bounds are what they
    // were, and so are the extents around it. Once only. Errc::invalid_argument: the last batch
    // does not end where the extents end (whoever drops what they end with leaves an empty batch
    // there). Errc::conflict: the extents are not what they were at rewrite(), by a truncate, a
    // trim or the engine's own doing. After these two the log is as it was; any other error takes
    // the partition offline.
    virtual Status commit() = 0;
};

// Optional ability: to replace batches by others, for compaction.
class RewritableLog {
public:
    // [worker] Begins to rewrite the extents that span [begin, end), as extents() has them: all
    // durable, and not the last one of the log. They become one extent or more. May overlap what
    // flush may. Errc::invalid_argument for another range, Errc::unavailable while there is a
    // Rewrite of this log.
    virtual Result<std::unique_ptr<Rewrite>> rewrite(Offset begin, Offset end) = 0;

protected:
    ~RewritableLog() = default;
};

class Log {
public:
    virtual ~Log() = default;

    virtual LogBounds bounds() const = 0;             // [shard]
    virtual std::vector<Extent> extents() const = 0;  // [shard] Oldest first; empty ones left out.

    // [shard] All or nothing: after an error end() is where it was. The batches are in order, the
    // first not below end(). All that reached the partition in one turn of the loop come together,
    // so that an engine can gather them into few large writes.
    virtual Status append(std::span<const StampedBatch> batches) = 0;

    // [shard] Whole batches, from the one that holds `from` (or the next one, if `from` lies in a
    // gap), as many as fit in `max_bytes`; the first one comes whole even when it is larger, so
    // that a reader always advances. Nothing at or above `below` is begun. An empty answer at
    // end(). Errc::out_of_range outside [begin, end].
    virtual Result<ReadAnswer> read(Offset from, Offset below, std::size_t max_bytes) = 0;

    // [shard] Where to begin to look for the first record that is not older than `not_before`: an
    // offset of a batch at or before the first one whose max_timestamp is not, or begin; nothing if
    // every batch is older. May answer too early, never too late.
    virtual std::optional<Offset> seek(Timestamp not_before) const = 0;

    // [worker] Makes durable what was appended before the call, then raises bounds().flushed. After
    // an error it is never called again: the core takes the partition offline, for a failed sync
    // may have dropped the bytes and a second one would say that all is well (fsyncgate).
    virtual Status flush() = 0;

    // [worker] Forgets the batches at and above `end`, durably; end() becomes the end of the last
    // batch that lies wholly below `end`. If nothing is left, begin and end both become `end`.
    // Slices handed out before keep memory or descriptor, but what was cut may be gone from them.
    virtual Status truncate(Offset end) = 0;

    // [worker] Raises begin to `begin`, durably, and frees extents that lie wholly below it. Slices
    // handed out before stay readable. Above end(): the log is emptied and begins at `begin`.
    virtual Status trim(Offset begin) = 0;

    // [shard] Ends the current extent, if it is not empty; the next append begins a new one.
    virtual Status seal() = 0;

    // Null if the engine cannot keep any. Lives as long as the log.
    virtual SideFiles* side_files() { return nullptr; }

    // Null if what is held is never changed. Lives as long as the log.
    virtual RewritableLog* rewritable() { return nullptr; }

    // [shard] The topic's configs changed: holds from the next append on. For engines that look at
    // the options at all.
    virtual void options_changed(const LogOptions& options) { static_cast<void>(options); }
};

struct StorageCapabilities {
    bool durable = false;  // What was flushed survives the process.
    bool truncatable = true;
    bool side_files = false;
    bool rewritable = false;
};

class StorageEngine {
public:
    virtual ~StorageEngine() = default;

    // [worker] Opens the log, recovering it if the last run crashed, or makes an empty one (without
    // touching the disk before its first append, if it can). Errc::corrupt: bytes that were said to
    // be durable are damaged; the partition stays offline and nothing is changed.
    virtual Result<std::unique_ptr<Log>> open(const PartitionId& id, const LogOptions& options) = 0;

    // [worker] Forgets the partition: its log has been destroyed. Slices stay readable. It may come
    // late: what a newer topic of the same name (another topic id) keeps by then is left alone.
    // That one may be opened at the same time, on another worker.
    virtual Status remove(const PartitionId& id) = 0;

    // [worker] What is kept, opened or not: the core finds strays with it after a restart.
    virtual Result<std::vector<PartitionId>> partitions() = 0;

    // [worker] An orderly stop: every log has been flushed and destroyed. The engine may note that
    // so that the next open need not look for damage. Not called after a crash.
    virtual Status closed_cleanly() = 0;
};

}  // namespace leat::sdk
