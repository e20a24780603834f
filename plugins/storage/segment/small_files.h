// Files that are read and written as a whole: checkpoints, partition.metadata, side files,
// indexes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/result.h"
#include "leat/sdk/uuid.h"
#include "file_system.h"

namespace leat::segment {

// What a file that is being replaced is called until it is whole.
inline constexpr std::string_view unfinished = ".leat-tmp";
inline constexpr std::size_t most_small_file_bytes = 256u << 20;

sdk::Result<std::vector<std::byte>> read_small_file(FileSystem& system, const std::string& path);

// Not durable, and not atomic: for what can be rebuilt.
sdk::Status write_small_file(FileSystem& system, const std::string& path,
                             std::span<const std::byte> bytes);

// Durable and atomic: after a crash the file is the old or the new one.
sdk::Status replace_small_file(FileSystem& system, const std::string& folder, std::string_view name,
                               std::span<const std::byte> bytes);

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

// Kafka's way to print a topic id: base64url without padding, 22 characters.
std::string to_text(const sdk::Uuid& id);
bool from_text(std::string_view text, sdk::Uuid& id);
std::string to_hex(const sdk::Uuid& id);

// partition.metadata, as Kafka writes it since topics have ids (KIP-516).
inline constexpr std::string_view metadata_name = "partition.metadata";
std::string metadata_text(const sdk::Uuid& topic_id);
sdk::Uuid topic_id_in(std::string_view metadata);  // Zero if it names none.

}  // namespace leat::segment
