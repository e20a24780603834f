// The indexes beside a segment, Kafka's formats, big-endian: `.index` (offset - base, position) of
// 4 + 4 bytes, `.timeindex` (timestamp, offset - base) of 8 + 4, `.txnindex` (version, producer id,
// first offset, last offset, last stable offset) of 2 + 4 * 8. Zeros at the end are room that was
// prepared.
#include <algorithm>
#include <optional>

#include "core/app/dump/formats.h"
#include "core/wire/reader.h"
#include "core/wire/record_batch.h"

namespace leat::app {
namespace {

// Calls `entry` with a reader of each entry and its position, from front to back.
template <class Entry>
void each_entry(const FileBytes& file, std::size_t bytes, sdk::FileReport& report, Entry entry) {
    if (file.size() > most_whole_file_bytes) {
        report.damage(0, "larger than an index can be");
        return;
    }
    const auto held = file.whole(most_whole_file_bytes);
    const auto last =
        std::find_if(held.rbegin(), held.rend(), [](std::byte b) { return b != std::byte{0}; });
    const auto used = static_cast<std::size_t>(held.rend() - last);
    std::size_t at = 0;
    // An entry may end with zeros, or be nothing else: the first one of a time index.
    for (; at + bytes <= held.size() && at < used; at += bytes) {
        wire::Reader from{std::span{held}.subspan(at, bytes)};
        entry(from, at);
    }
    if (at < used) {
        report.damage(at, "an entry that is cut off: " + std::to_string(held.size() - at) +
                              " bytes of " + std::to_string(bytes));
    } else if (at < held.size()) {
        report.item(
            {at, "prepared_room", {{"bytes", static_cast<std::int64_t>(held.size() - at)}}});
    }
}

std::optional<FileBytes> log_beside(const FileBytes& index) {
    auto path = index.path();
    std::string name = path.filename().string();
    const std::size_t extension = name.find('.');
    const bool deleted = name.ends_with(".deleted");
    path.replace_filename(name.substr(0, extension) + ".log" + (deleted ? ".deleted" : ""));
    auto opened = FileBytes::open(path);
    if (!opened) return std::nullopt;
    return std::move(*opened);
}

// The last offset of the batch that begins at `position`; nothing if none does.
std::optional<std::int64_t> last_offset_at(const FileBytes& log, std::uint64_t position) {
    std::byte header[wire::batch_header_bytes];
    const auto read = log.read(position, header);
    if (read.size() < wire::batch_header_bytes) return std::nullopt;
    const wire::BatchView batch{read};
    if (batch.magic() != wire::batch_magic || batch.last_offset_delta() < 0) return std::nullopt;
    if (batch.base_offset().value > INT64_MAX - INT32_MAX) return std::nullopt;
    return batch.last_offset().value;
}

}  // namespace

void tell_offset_index(const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
    const std::int64_t base = base_offset_of(file.path());
    const auto log = log_beside(file);
    std::int64_t last_offset = -1;
    std::int64_t last_position = -1;
    each_entry(file, 8, report, [&](wire::Reader& from, std::size_t at) {
        const auto relative = from.number<std::uint32_t>();
        const auto position = static_cast<std::int64_t>(from.number<std::uint32_t>());
        const std::int64_t offset =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + relative);
        report.item({at, "entry", {{"offset", offset}, {"log_position", position}}});
        if (at != 0 && (offset <= last_offset || position <= last_position)) {
            report.damage(at, "an entry that is not above the one before");
        } else if (log) {
            const auto is = last_offset_at(*log, static_cast<std::uint64_t>(position));
            if (!is) {
                report.damage(at, "an entry for a position at which no batch begins");
            } else if (*is != offset) {
                report.damage(at, "an entry for another batch: the one there ends with offset " +
                                      std::to_string(*is));
            }
        }
        last_offset = offset;
        last_position = position;
    });
}

void tell_time_index(const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
    const std::int64_t base = base_offset_of(file.path());
    std::int64_t last_offset = -1;
    std::int64_t last_timestamp = -1;
    each_entry(file, 12, report, [&](wire::Reader& from, std::size_t at) {
        const auto timestamp = from.number<std::int64_t>();
        const auto relative = from.number<std::uint32_t>();
        const std::int64_t offset =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + relative);
        report.item({at, "entry", {{"timestamp", timestamp}, {"offset", offset}}});
        if (timestamp < 0) report.damage(at, "a timestamp that is negative");
        if (at != 0 && (timestamp <= last_timestamp || offset < last_offset)) {
            report.damage(at, "an entry that is not above the one before");
        }
        last_offset = offset;
        last_timestamp = timestamp;
    });
}

void tell_transaction_index(const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
    each_entry(file, 34, report, [&](wire::Reader& from, std::size_t at) {
        const auto version = from.number<std::int16_t>();
        sdk::FileItem item{at, "aborted_transaction", {}};
        for (const char* name :
             {"producer_id", "first_offset", "last_offset", "last_stable_offset"}) {
            item.fields.emplace_back(name, from.number<std::int64_t>());
        }
        report.item(item);
        if (version != 0) report.damage(at, "an entry of version " + std::to_string(version));
    });
}

}  // namespace leat::app
