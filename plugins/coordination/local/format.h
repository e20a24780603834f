// The bytes of the two files. Numbers are little endian.
//
//   head       8 bytes of magic, u32 format, u32 zero, u64 revision, u32 CRC-32C of the 24 before
//              it
//   journal    head (its revision: of the last transaction before the first in here), then units
//   unit       u32 marker, u32 payload bytes, u32 CRC-32C of length and payload, payload
//   payload    u64 revision of its first transaction, u32 transactions; each: u32 operations; each:
//              u8 kind, u16 key bytes, key, and for a put u32 value bytes, value
//   snapshot   head (its revision: of the newest transaction in here), u64 entries, each: u64
//              revision, u16 key bytes, u32 value bytes, key, value; u32 CRC-32C of all after the
//              head
//
// A unit is what one sync made durable: whole or not at all. Nothing is written behind a unit
// before its sync has succeeded, so a bad unit with a good one behind it was damaged after it was
// durable.
//
// Ephemeral keys are in neither file: they end with the process. A put of one is kept as a delete,
// so that its transaction still has its revision and what the key was before is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "leat/sdk/coordination.h"
#include "leat/sdk/result.h"
#include "store.h"

namespace leat::local {

inline constexpr std::uint32_t format_number = 1;
inline constexpr std::string_view journal_magic = "LEATJRNL";
inline constexpr std::string_view snapshot_magic = "LEATSNAP";
inline constexpr std::size_t head_bytes = 28;
// A unit is closed when it has passed this; one transaction is never split.
inline constexpr std::size_t enough_for_a_unit = 1024 * 1024;
inline constexpr std::size_t most_unit_bytes =
    enough_for_a_unit + 4096 +
    sdk::most_operations * (sdk::most_value_bytes + sdk::most_key_bytes + 16);
inline constexpr std::uint64_t most_file_bytes = 4ULL << 30;

std::string encode_head(std::string_view magic, sdk::Revision revision);
// The revision, or one sentence about what is wrong with the file called `path`.
sdk::Result<sdk::Revision> decode_head(std::string_view file, std::string_view magic,
                                       const std::string& path);

// begin_unit, add_transaction once or more, finish_unit.
std::string begin_unit(sdk::Revision first);
void add_transaction(std::string& unit, const sdk::Transaction& transaction);
void finish_unit(std::string& unit, std::size_t transactions);

struct Unit {
    sdk::Revision first;
    std::uint32_t transactions = 0;
    std::string_view operations;
    std::size_t bytes = 0;  // On disk, all in all.
};
std::optional<Unit> unit_at(std::string_view file, std::size_t position);
bool any_unit_behind(std::string_view file, std::size_t position);
// False if the operations cannot be read in spite of their checksum. Transactions up to `known` are
// passed over.
bool replay(const Unit& unit, sdk::Revision known, Store& into);

// One operation of a unit, or entry of a snapshot. Views into it.
struct Written {
    sdk::Revision revision;
    bool removal = false;
    std::string_view key;
    std::string_view value;
    std::size_t position = 0;  // From the unit's or the snapshot's first byte.
};
// Hands each on in order; false where they cannot be read, after those before.
bool each_operation(const Unit& unit, sdk::Function<void(const Written&)> visit);
bool each_entry(std::string_view snapshot, sdk::Function<void(const Written&)> visit);
// What the file's last four bytes say of the rest. False if there are not so many.
bool snapshot_checksum_matches(std::string_view snapshot);

// Hands the snapshot of `store` to `write` piece by piece; stops where `write` returns an error.
sdk::Status encode_snapshot(const Store& store, sdk::Function<sdk::Status(std::string_view)> write);
sdk::Status decode_snapshot(std::string_view file, const std::string& path, Store& into);

}  // namespace leat::local
