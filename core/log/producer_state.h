// The idempotent producers of one partition (KIP-98, KIP-360): of each the last five batches, which
// is what a client may have in flight. A batch that is there already is answered, not appended
// again.
//
// Kafka's file (`<offset>.snapshot`) holds only the newest batch of each producer. So a file of our
// own, `<offset>.producers`, is written beside it with all five; Kafka ignores it, and without it
// the state begins with what Kafka's file has.
//
// A machine: no I/O, one thread. Time is the broker's, never a record's timestamp, which a client
// may have made up: see PartitionLog::let_producers_age.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/log/batch_validator.h"
#include "core/wire/record_batch.h"
#include "leat/sdk/result.h"

namespace leat::log {

// One appended batch of a producer.
struct ProducerBatch {
    std::int32_t base_sequence = -1;
    std::int32_t last_sequence = -1;
    Offset last_offset{-1};
    std::int32_t offset_delta = 0;  // last_offset - offset_delta is its base offset.
    Timestamp timestamp{-1};        // The batch's maximum: the append time with LogAppendTime.

    Offset base_offset() const { return {last_offset.value - offset_delta}; }
    bool operator==(const ProducerBatch&) const = default;
};

struct ProducerEntry {
    static constexpr std::size_t window = 5;

    std::int64_t id = -1;
    std::int16_t epoch = -1;
    std::int32_t coordinator_epoch = -1;
    Offset transaction_start{-1};  // -1: no open transaction.
    Timestamp last_seen{0};        // On the broker's clock.
    // Where the producer must begin, because a batch from there on was taken back; -1: no matter.
    std::int32_t begins_at = -1;
    std::array<ProducerBatch, window> batches{};  // Oldest first; `size` of them.
    std::size_t size = 0;

    const ProducerBatch* newest() const { return size == 0 ? nullptr : &batches[size - 1]; }
    void push(const ProducerBatch& batch);
    bool operator==(const ProducerEntry&) const = default;
};

struct ProducerLimits {
    // Least recently seen producers beyond it are forgotten (those with an open transaction last):
    // the price of a client that makes ids without end is paid in forgotten ones, not in memory.
    std::size_t max_producers = 100'000;
    std::int64_t expiration_ms = 86'400'000;  // `producer.id.expiration.ms`
};

struct InSequence {};
struct DuplicateBatch {
    ProducerBatch original;
};

class ProducerState {
public:
    explicit ProducerState(ProducerLimits limits = {}) : limits_{limits} {}

    // May this batch of a client be appended? Batches that were added but not yet committed count.
    // Not in sequence: OUT_OF_ORDER_SEQUENCE_NUMBER, older than the window included (Kafka 4 never
    // answers 46); an older epoch: INVALID_PRODUCER_EPOCH. A producer that is not known may begin
    // anywhere: its state may have expired (KIP-360). Not so if its first batch was taken back:
    // what was in flight behind it must not go before it. A batch without producer is in sequence.
    std::variant<InSequence, DuplicateBatch, AppendError> check(const wire::BatchView& batch) const;

    // The batch goes into the log as it is now stamped, whether it is in sequence or not
    // (replication, recovery). Control batches end the producer's transaction.
    void add(const wire::BatchView& batch, Timestamp wall);

    // What was added since is final / did not happen. Each add() is one step, also those of batches
    // without producer; commit takes the oldest steps first. Of a producer that was not known
    // before, where it wanted to begin is remembered; not beyond the next restart.
    void commit(std::size_t steps);
    void roll_back();
    std::size_t uncommitted() const { return static_cast<std::size_t>(added_ - committed_); }

    // The log ends at `end` now. Batches above are forgotten, and with its last one the producer.
    // Older batches that they had pushed out of the window are not brought back: recovery by replay
    // does.
    void truncate(Offset end);
    void clear();

    void expire(Timestamp now);  // Not those with an open transaction.

    // After a start at `now`: what was loaded has been seen before now, and is known for a while to
    // come. The wall clock may have been set since it was written, or be right only now (a box
    // without a clock of its own), and somebody may be about to send again.
    void resume(Timestamp now);
    static constexpr std::int64_t grace_ms = 3'600'000;

    std::size_t size() const { return by_id_.size(); }
    std::uint64_t evicted() const { return evicted_; }  // Because of max_producers, ever.
    const ProducerEntry* find(std::int64_t id) const;
    std::vector<ProducerEntry> entries() const;  // By id.
    std::int64_t highest_id() const;             // -1 if there are none.

    // Kafka's `.snapshot`, version 1; our `.producers`. Both hold a CRC-32C.
    std::vector<std::byte> encode_snapshot() const;
    std::vector<std::byte> encode_windows() const;
    // What such a file holds, in its order; Errc::corrupt if it is not whole. `wall` becomes
    // last_seen of what Kafka's file names.
    static sdk::Result<std::vector<ProducerEntry>> decode_snapshot(std::span<const std::byte> file,
                                                                   Timestamp wall);
    static sdk::Result<std::vector<ProducerEntry>> decode_windows(std::span<const std::byte> file);
    // Replace the state; Errc::corrupt leaves it as it was.
    sdk::Status load_snapshot(std::span<const std::byte> file, Timestamp wall);
    sdk::Status load_windows(std::span<const std::byte> file);

private:
    struct Undo {
        std::int64_t id;
        std::optional<ProducerEntry> before;  // Absent: the producer was not known.
    };
    using Entries = std::list<ProducerEntry>;  // Least recently seen first.

    ProducerEntry& touch(std::int64_t id, Timestamp wall);
    void take_back_first(std::int64_t id);
    std::vector<ProducerEntry> entries_to_keep() const;
    void forget(std::int64_t id);
    void enforce_limit();
    void replace(std::vector<ProducerEntry> entries);

    ProducerLimits limits_;
    Entries entries_;
    std::unordered_map<std::int64_t, Entries::iterator> by_id_;
    // Of the uncommitted adds of batches with a producer, oldest first, with their step.
    std::vector<std::pair<std::uint64_t, Undo>> undo_;
    std::uint64_t added_ = 0;  // Steps ever, and how many of them are final.
    std::uint64_t committed_ = 0;
    std::uint64_t evicted_ = 0;
};

}  // namespace leat::log
