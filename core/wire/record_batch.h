// A record batch, Kafka's format v2 (Kafka documentation, "Record Batch"): a view of its 61 byte
// header and the three changes that a leader makes in place. Nothing here opens the records.
//
//   0 base offset i64 | 8 length i32, of what follows | 12 partition leader epoch i32 | 16 magic i8
//   17 CRC-32C u32, of all that follows | 21 attributes i16 | 23 last offset delta i32
//   27 base timestamp i64 | 35 max timestamp i64 | 43 producer id i64 | 51 producer epoch i16
//   53 base sequence i32 | 57 record count i32 | 61 records
//
// Base offset and leader epoch lie outside the CRC, so that they can be stamped without reading the
// rest. A view borrows: it is worth what the bytes under it are worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/sdk/strong.h"

namespace leat::wire {

using sdk::LeaderEpoch;
using sdk::Offset;
using sdk::Timestamp;

constexpr std::size_t batch_header_bytes = 61;
constexpr std::size_t batch_frame_bytes = 12;  // Base offset and length: what says how long it is.
constexpr std::int8_t batch_magic = 2;
constexpr std::int64_t no_producer_id = -1;
constexpr std::int16_t no_producer_epoch = -1;
constexpr std::int32_t no_sequence = -1;

// How many bytes the first batch of `bytes` says that it has; 0 if fewer than 12 bytes are there or
// the length field is negative. Any magic: v0 and v1 begin with the same two fields.
std::size_t first_batch_size(std::span<const std::byte> bytes);

class BatchView {
public:
    // `bytes` begins with a batch and holds at least its header (ensured); it may be longer.
    explicit BatchView(std::span<const std::byte> bytes);

    Offset base_offset() const;
    std::int32_t length() const;   // As written: of all that follows the field.
    std::size_t size() const;      // In bytes, as the header says: length() + 12.
    LeaderEpoch leader_epoch() const;
    std::int8_t magic() const;
    std::uint32_t crc() const;
    std::int16_t attributes() const;
    std::int32_t last_offset_delta() const;
    Timestamp base_timestamp() const;  // The delete horizon if has_delete_horizon() (KIP-534).
    Timestamp max_timestamp() const;
    std::int64_t producer_id() const;
    std::int16_t producer_epoch() const;
    std::int32_t base_sequence() const;
    std::int32_t record_count() const;

    int codec_id() const { return attributes() & 7; }  // 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.
    bool log_append_time() const { return (attributes() & 8) != 0; }
    bool transactional() const { return (attributes() & 16) != 0; }
    bool control() const { return (attributes() & 32) != 0; }
    bool has_delete_horizon() const { return (attributes() & 64) != 0; }
    bool has_producer() const { return producer_id() > no_producer_id; }

    Offset last_offset() const { return base_offset() + last_offset_delta(); }
    Offset next_offset() const { return last_offset() + 1; }
    std::int32_t last_sequence() const;  // Modulo 2^31; no_sequence if there is none.

    // The whole batch and the records in it, compressed or not. Only if is_whole() (ensured).
    std::span<const std::byte> bytes() const;
    std::span<const std::byte> records() const;

    bool is_whole() const;  // The length field fits a header, and the bytes given hold it all.
    std::uint32_t computed_crc() const;  // Of a whole batch.
    bool crc_matches() const { return crc() == computed_crc(); }

protected:
    std::span<const std::byte> given_;
};

class MutableBatchView : public BatchView {
public:
    explicit MutableBatchView(std::span<std::byte> bytes);

    // Outside the CRC.
    void stamp(Offset base, LeaderEpoch epoch);

    // Inside the CRC, which is computed anew. LogAppendTime: attribute bit 3 and the maximum; the
    // records keep their timestamps and readers use the maximum (KIP-32).
    void set_log_append_time(Timestamp now);
    // CreateTime: clears the bit, and says what the maximum of its records really is.
    void set_create_time(Timestamp max);

    // Writes the right CRC after the bytes were changed.
    void seal();

private:
    void set_timestamps(std::int16_t flags, Timestamp max);

    std::span<std::byte> writable_;
};

// The sequence that lies `n` records after `sequence`: after 2^31-1 comes 0.
std::int32_t sequence_after(std::int32_t sequence, std::int32_t n);

}  // namespace leat::wire
