// Reads a log as the broker does: bring_in where it is asked for, then again, from where the last
// whole batch ended.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/storage.h"

namespace leat::sdk::testing {

struct SeenBatch {
    Offset base;
    Offset next;
    std::vector<std::byte> bytes;

    bool operator==(const SeenBatch&) const = default;
};

// Fills `into` from a file; false if it cannot. For engines whose descriptors are not the
// system's.
using FileReader =
    std::function<bool(int descriptor, std::uint64_t position, std::span<std::byte> into)>;

inline bool read_descriptor(int descriptor, std::uint64_t position, std::span<std::byte> into) {
    while (!into.empty()) {
        const ssize_t got =
            ::pread(descriptor, into.data(), into.size(), static_cast<off_t>(position));
        if (got <= 0) return false;
        position += static_cast<std::uint64_t>(got);
        into = into.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

inline Result<std::vector<std::byte>> bytes_of(const Slice& slice,
                                               const FileReader& reader = read_descriptor) {
    std::vector<std::byte> bytes(size_of(slice));
    if (const auto* memory = std::get_if<MemorySlice>(&slice)) {
        std::memcpy(bytes.data(), memory->bytes.data(), bytes.size());
    } else {
        const auto& file = std::get<FileSlice>(slice);
        if (!reader(file.descriptor, file.position, bytes)) {
            return Error{Errc::io, "a file slice cannot be read"};
        }
    }
    return bytes;
}

// Cuts bytes into batches by their headers. Errc::corrupt if they are not whole batches.
inline Result<std::vector<SeenBatch>> batches_in(std::span<const std::byte> bytes) {
    const auto number = [&](std::size_t at, std::size_t size) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) {
            value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
        }
        return value;
    };
    std::vector<SeenBatch> batches;
    while (!bytes.empty()) {
        if (bytes.size() < 61) return Error{Errc::corrupt, "a slice ends inside a batch header"};
        const std::size_t size = number(8, 4) + 12;
        if (bytes.size() < size) return Error{Errc::corrupt, "a slice ends inside a batch"};
        const Offset base{static_cast<std::int64_t>(number(0, 8))};
        const auto records = static_cast<std::int64_t>(number(23, 4)) + 1;
        batches.push_back(
            {base, base + records, {bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)}});
        bytes = bytes.subspan(size);
    }
    return batches;
}

// What the slices of one answer hold.
inline Result<std::vector<SeenBatch>> batches_of(std::span<const Slice> slices,
                                                 const FileReader& reader) {
    std::vector<std::byte> all;
    for (const Slice& slice : slices) {
        auto bytes = bytes_of(slice, reader);
        if (!bytes) return bytes.error();
        all.insert(all.end(), bytes->begin(), bytes->end());
    }
    return batches_in(all);
}

// One read, brought in if need be. Fails on an engine that never has it resident.
inline Result<std::vector<SeenBatch>> read_batches(Log& log, Offset from, Offset below,
                                                   std::size_t max_bytes,
                                                   const FileReader& reader = read_descriptor) {
    constexpr int most_attempts = 20;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        auto answer = log.read(from, below, max_bytes);
        if (!answer) return answer.error();
        if (answer->bring_in) {
            if (!answer->slices.empty()) {
                return Error{Errc::internal, "an answer has both slices and something to bring in"};
            }
            answer->bring_in();
            continue;
        }
        return batches_of(answer->slices, reader);
    }
    return Error{Errc::timed_out, "what was brought in is still not resident"};
}

// Everything from `from` (begin by default) to the end.
inline Result<std::vector<SeenBatch>> read_log(Log& log, Offset from = {-1},
                                               std::size_t max_bytes = 1u << 20,
                                               const FileReader& reader = read_descriptor) {
    const LogBounds bounds = log.bounds();
    if (from.value < 0) from = bounds.begin;
    std::vector<SeenBatch> all;
    while (from < bounds.end) {
        auto some = read_batches(log, from, bounds.end, max_bytes, reader);
        if (!some) return some.error();
        if (some->empty()) break;
        if (some->back().next <= from) return Error{Errc::internal, "a read does not advance"};
        from = some->back().next;
        std::move(some->begin(), some->end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace leat::sdk::testing
