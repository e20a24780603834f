// The two files of ProducerState. Kafka's, version 1 (KIP-98), big-endian:
//   version i16 | CRC-32C u32 of what follows | count i32 | per producer: id i64, epoch i16, last
//   sequence i32, last offset i64, offset delta i32, timestamp i64, coordinator epoch i32,
// transaction start i64 Ours: magic "LEATPROD" | version i16 | CRC-32C u32 of what follows | count
//   i32 | per producer: id i64, epoch i16, coordinator epoch i32, transaction start i64, last seen
//   i64, batches i8, per batch: first sequence i32, last sequence i32, last offset i64, offset
//   delta i32, timestamp i64
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/log/producer_state.h"
#include "leat/sdk/crc32c.h"

namespace leat::log {

namespace {

constexpr std::int16_t snapshot_version = 1;
constexpr std::int16_t windows_version = 1;
constexpr std::string_view windows_magic = "LEATPROD";
constexpr std::size_t crc_bytes = 4;

class Writer {
public:
    template <class Number>
    void put(Number number) {
        for (std::size_t i = sizeof(Number); i-- > 0;) {
            const auto bits = static_cast<std::uint64_t>(number) >> (8 * i);
            bytes_.push_back(static_cast<std::byte>(bits & 0xff));
        }
    }
    // The sum of what comes after it, filled in by finish().
    void put_crc() {
        crc_at_ = bytes_.size();
        put(std::uint32_t{0});
    }
    std::vector<std::byte> finish() {
        const auto crc = sdk::crc32c(std::span{bytes_}.subspan(crc_at_ + crc_bytes));
        for (std::size_t i = 0; i < crc_bytes; ++i)
            bytes_[crc_at_ + i] = static_cast<std::byte>((crc >> (24 - 8 * i)) & 0xff);
        return std::move(bytes_);
    }

private:
    std::vector<std::byte> bytes_;
    std::size_t crc_at_ = 0;
};

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_{bytes} {}

    template <class Number>
    Number take() {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(Number); ++i) {
            if (i >= rest_.size()) return broken_ = true, Number{};
            bits = (bits << 8) | std::to_integer<std::uint8_t>(rest_[i]);
        }
        rest_ = rest_.subspan(sizeof(Number));
        return static_cast<Number>(bits);
    }
    bool take_crc() {
        const auto crc = take<std::uint32_t>();
        return !broken_ && crc == sdk::crc32c(rest_);
    }
    bool broken() const { return broken_; }
    std::size_t left() const { return rest_.size(); }

private:
    std::span<const std::byte> rest_;
    bool broken_ = false;
};

sdk::Error corrupt(const char* what) {
    return {sdk::Errc::corrupt, what};
}

ProducerEntry take_snapshot_entry(Reader& from, Timestamp wall) {
    ProducerEntry entry{.id = from.take<std::int64_t>()};
    entry.epoch = from.take<std::int16_t>();
    ProducerBatch newest;
    newest.last_sequence = from.take<std::int32_t>();
    newest.last_offset.value = from.take<std::int64_t>();
    newest.offset_delta = from.take<std::int32_t>();
    newest.timestamp.value = from.take<std::int64_t>();
    entry.coordinator_epoch = from.take<std::int32_t>();
    entry.transaction_start.value = from.take<std::int64_t>();
    entry.last_seen = wall;
    // No offset: the producer is known by a marker only and has no batch (Kafka writes -1 then).
    if (newest.last_offset.value >= 0 && newest.offset_delta >= 0 && newest.last_sequence >= 0) {
        newest.base_sequence = wire::sequence_after(newest.last_sequence, -newest.offset_delta);
        entry.push(newest);
    }
    return entry;
}

bool take_windows_entry(Reader& from, ProducerEntry& entry) {
    entry.id = from.take<std::int64_t>();
    entry.epoch = from.take<std::int16_t>();
    entry.coordinator_epoch = from.take<std::int32_t>();
    entry.transaction_start.value = from.take<std::int64_t>();
    entry.last_seen.value = from.take<std::int64_t>();
    const auto count = from.take<std::uint8_t>();
    if (count > ProducerEntry::window) return false;
    for (int i = 0; i < count; ++i) {
        ProducerBatch batch;
        batch.base_sequence = from.take<std::int32_t>();
        batch.last_sequence = from.take<std::int32_t>();
        batch.last_offset.value = from.take<std::int64_t>();
        batch.offset_delta = from.take<std::int32_t>();
        batch.timestamp.value = from.take<std::int64_t>();
        entry.push(batch);
    }
    return !from.broken();
}

}  // namespace

std::vector<std::byte> ProducerState::encode_snapshot() const {
    Writer file;
    file.put(snapshot_version);
    file.put_crc();
    const auto kept = entries_to_keep();
    file.put(static_cast<std::int32_t>(kept.size()));
    for (const ProducerEntry& entry : kept) {
        const ProducerBatch newest = entry.size == 0 ? ProducerBatch{} : *entry.newest();
        file.put(entry.id);
        file.put(entry.epoch);
        file.put(newest.last_sequence);
        file.put(newest.last_offset.value);
        file.put(newest.offset_delta);
        file.put(newest.timestamp.value);
        file.put(entry.coordinator_epoch);
        file.put(entry.transaction_start.value);
    }
    return file.finish();
}

std::vector<std::byte> ProducerState::encode_windows() const {
    Writer file;
    for (const char c : windows_magic) file.put(c);
    file.put(windows_version);
    file.put_crc();
    const auto kept = entries_to_keep();
    file.put(static_cast<std::int32_t>(kept.size()));
    for (const ProducerEntry& entry : kept) {
        file.put(entry.id);
        file.put(entry.epoch);
        file.put(entry.coordinator_epoch);
        file.put(entry.transaction_start.value);
        file.put(entry.last_seen.value);
        file.put(static_cast<std::uint8_t>(entry.size));
        for (std::size_t i = 0; i < entry.size; ++i) {
            const ProducerBatch& batch = entry.batches[i];
            file.put(batch.base_sequence);
            file.put(batch.last_sequence);
            file.put(batch.last_offset.value);
            file.put(batch.offset_delta);
            file.put(batch.timestamp.value);
        }
    }
    return file.finish();
}

sdk::Result<std::vector<ProducerEntry>> ProducerState::decode_snapshot(
    std::span<const std::byte> file, Timestamp wall) {
    constexpr std::size_t entry_bytes = 46;
    Reader from{file};
    if (from.take<std::int16_t>() != snapshot_version)
        return corrupt("the producer snapshot is not of version 1");
    if (!from.take_crc()) return corrupt("the producer snapshot does not match its checksum");
    const auto count = from.take<std::int32_t>();
    if (count < 0 || from.broken() || from.left() != static_cast<std::size_t>(count) * entry_bytes)
        return corrupt("the producer snapshot does not hold as many as it says");
    std::vector<ProducerEntry> all;
    for (std::int32_t i = 0; i < count; ++i) all.push_back(take_snapshot_entry(from, wall));
    return all;
}

sdk::Result<std::vector<ProducerEntry>> ProducerState::decode_windows(
    std::span<const std::byte> file) {
    Reader from{file};
    for (const char c : windows_magic) {
        if (from.take<char>() != c) return corrupt("the file holds no producers");
    }
    if (from.take<std::int16_t>() != windows_version)
        return corrupt("the file of producers is not of version 1");
    if (!from.take_crc()) return corrupt("the file of producers does not match its checksum");
    const auto count = from.take<std::int32_t>();
    std::vector<ProducerEntry> all;
    for (std::int32_t i = 0; i < count; ++i) {
        ProducerEntry entry;
        if (!take_windows_entry(from, entry)) return corrupt("the file of producers is cut off");
        all.push_back(entry);
    }
    if (count < 0 || from.left() != 0) return corrupt("the file of producers has another size");
    return all;
}

sdk::Status ProducerState::load_snapshot(std::span<const std::byte> file, Timestamp wall) {
    auto entries = decode_snapshot(file, wall);
    if (!entries) return entries.error();
    replace(std::move(*entries));
    return {};
}

sdk::Status ProducerState::load_windows(std::span<const std::byte> file) {
    auto entries = decode_windows(file);
    if (!entries) return entries.error();
    replace(std::move(*entries));
    return {};
}

}  // namespace leat::log
