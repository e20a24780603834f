// The records of one batch whose checksum is right, decompressed if need be.
#include <string>

#include "core/app/dump/formats.h"
#include "core/compression/codec.h"
#include "core/wire/record_batch.h"
#include "core/wire/record_reader.h"

namespace leat::app {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A null key or value has no field.
sdk::FileItem item_of(const wire::BatchView& batch, const wire::Record& record,
                      std::uint64_t position) {
    sdk::FileItem item{position, "record", {}};
    const std::int64_t timestamp =
        batch.log_append_time()
            ? batch.max_timestamp().value
            : static_cast<std::int64_t>(static_cast<std::uint64_t>(batch.base_timestamp().value) +
                                        static_cast<std::uint64_t>(record.timestamp_delta));
    item.fields.emplace_back("offset", batch.base_offset().value + record.offset_delta);
    item.fields.emplace_back("timestamp", timestamp);
    if (record.key) add_bytes(item, "key", text_of(*record.key));
    if (record.value) add_bytes(item, "value", text_of(*record.value));
    wire::HeaderReader headers{record};
    while (const auto header = headers.next()) {
        add_bytes(item, "header", header->key);
        if (header->value) add_bytes(item, "header_value", text_of(*header->value));
    }
    return item;
}

}  // namespace

void tell_records(const FileBytes& file, std::uint64_t position, std::uint64_t size,
                  sdk::FileReport& report) {
    if (size > most_opened_batch_bytes) {
        report.damage(position, "a batch that is too large to be opened");
        return;
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    if (file.read(position, bytes).size() != bytes.size()) {
        report.damage(position, "a batch that is cut off");
        return;
    }
    const wire::BatchView batch{bytes};
    const auto codec = compression::codec_of(batch.codec_id());
    if (!codec) {
        report.damage(position, "a batch of no known codec");
        return;
    }
    auto opened =
        compression::decompress(*codec, batch.records(), {.max_output = most_opened_batch_bytes});
    if (!opened) {
        report.damage(position, "records that cannot be decompressed: " + opened.error().what);
        return;
    }
    wire::RecordReader records{*opened};
    std::int64_t count = 0;
    for (; !records.at_end(); ++count) {
        const auto record = records.next();
        if (!record) {
            report.damage(position, "records that cannot be read: " + record.error().what);
            return;
        }
        report.item(item_of(batch, *record, position));
    }
    if (count != batch.record_count()) {
        report.damage(position, std::to_string(count) + " records, where the batch says " +
                                    std::to_string(batch.record_count()));
    }
}

}  // namespace leat::app
