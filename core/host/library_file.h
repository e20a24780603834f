// A plugin library before any of its code runs: is it a file that may be trusted, is it whole, and
// which plugin API does it say it was built for? The bytes that pass are copied into memory that
// nobody can change, and it is this copy that is loaded, so that a file which is replaced, cut or
// still being written can neither swap the code behind the check nor crash the process.
//
// Consequence: $ORIGIN in a plugin's own library path means nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/plugin.h"
#include "leat/sdk/result.h"

namespace leat::host {

inline constexpr std::uint64_t largest_library_bytes = 256ull << 20;

// What leat_add_plugin appends to a library (cmake/leat_seal.cmake): this line, then the SHA-256 of
// all bytes before it. A library without one (another build system, `strip`) is accepted, but then
// a flipped bit in its code goes unnoticed.
inline constexpr std::string_view seal_stem = "\nleat-seal sha256 ";
inline constexpr std::size_t seal_bytes = 18 + 64 + 1;

// The bytes of a library that is regular, not writable by group or others, owned by root or by who
// runs the broker, and not too large. Errors are sentences to put after the file's name.
sdk::Result<std::vector<std::byte>> read_library(const std::filesystem::path& file);

// ELF for this machine, every table and segment inside the file, and the seal, if any, is right.
sdk::Status check_elf(std::span<const std::byte> bytes);

// Loads what read_library returned, after check_elf and after looking at the symbols; the entry
// point's ABI tag has been compared. The library stays loaded for the rest of the process.
sdk::Result<const sdk::PluginInfo*> load_library(std::span<const std::byte> bytes);

}  // namespace leat::host
