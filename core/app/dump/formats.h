// Each kind of file that a data folder holds, and who tells what is in it. Those of Kafka's folders
// are told here; those of a plugin by the plugin (sdk/inspection.h).
//
// A teller goes from front to back, believes no length, holds no more than a named limit, and goes
// on behind damage where it can find its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/app/dump/file_bytes.h"
#include "leat/sdk/inspection.h"

namespace leat::app {

struct DumpOptions {
    bool records = false;  // Of segments: open the batches.
};

inline constexpr std::size_t most_whole_file_bytes = 1u << 30;  // What is not read in pieces.
inline constexpr std::size_t most_opened_batch_bytes = 256u << 20;
// What is read in all to find whole batches behind damage, in one file.
inline constexpr std::uint64_t most_searched_bytes = 4ull << 30;

using Tell = std::function<void(const FileBytes&, const DumpOptions&, sdk::FileReport&)>;

struct Format {
    std::string kind;  // "segment"
    Tell tell;
};

// By the file's name, or by a plugin's magic. Without a teller: known, and nothing to tell; an
// empty kind: not known.
Format format_of(const FileBytes& file, const std::vector<sdk::FileInspector>& plugins);

void tell_segment(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report);
void tell_records(const FileBytes& file, std::uint64_t position, std::uint64_t size,
                  sdk::FileReport& report);
void tell_offset_index(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report);
void tell_time_index(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report);
void tell_transaction_index(const FileBytes& file, const DumpOptions& options,
                            sdk::FileReport& report);
void tell_snapshot(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report);
void tell_producers(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report);
void tell_leader_epochs(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report);
void tell_offset_checkpoint(const FileBytes& file, const DumpOptions& options,
                            sdk::FileReport& report);
void tell_properties(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report);
void tell_line(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report);

// The offset in a segment's name; -1 if its name is none.
std::int64_t base_offset_of(const std::filesystem::path& path);

// Adds `name`, or `name`_hex where the bytes are no text.
void add_bytes(sdk::FileItem& item, const std::string& name, std::string_view bytes);

}  // namespace leat::app
