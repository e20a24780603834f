// Walks the records of a batch, uncompressed bytes only (what BatchView::records() holds when the
// codec is 0, or what a decompressor made of it). Every length is checked before it is believed; a
// record is handed out as views into the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "leat/sdk/result.h"

namespace leat::wire {

struct RecordHeader {
    std::string_view key;
    std::optional<std::span<const std::byte>> value;  // Absent is null.
};

struct Record {
    std::int64_t timestamp_delta = 0;
    std::int32_t offset_delta = 0;
    std::optional<std::span<const std::byte>> key;
    std::optional<std::span<const std::byte>> value;
    std::int32_t header_count = 0;
    std::span<const std::byte> headers;  // Checked; read with HeaderReader.
    std::size_t bytes = 0;               // Of the whole record, its length field included.
};

class RecordReader {
public:
    explicit RecordReader(std::span<const std::byte> records) : rest_{records} {}

    bool at_end() const { return rest_.empty(); }
    std::size_t remaining() const { return rest_.size(); }

    // The next record. Errc::corrupt, with words, if what is left is not one; then the reader is
    // stuck.
    sdk::Result<Record> next();

private:
    std::span<const std::byte> rest_;
};

class HeaderReader {
public:
    explicit HeaderReader(const Record& record)
        : rest_{record.headers}, left_{record.header_count} {}

    std::optional<RecordHeader> next();  // Nothing after the last one.

private:
    std::span<const std::byte> rest_;
    std::int32_t left_;
};

}  // namespace leat::wire
