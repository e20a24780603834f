// The small files beside segments and above partitions.
#include <charconv>
#include <optional>

#include "core/app/dump/formats.h"
#include "core/log/leader_epochs.h"
#include "core/log/producer_state.h"

namespace leat::app {
namespace {

constexpr std::size_t most_line_bytes = 4096;  // Of a file that holds one.

// The whole of a small file; nothing, and damage, if it is too large for one.
std::optional<std::vector<std::byte>> small(const FileBytes& file, sdk::FileReport& report) {
    if (file.size() <= most_whole_file_bytes) return file.whole(most_whole_file_bytes);
    report.damage(0, "larger than such a file can be");
    return std::nullopt;
}

std::string_view text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Where in a file of version, checksum, count and entries the sentence of its decoder is about.
std::uint64_t place_of(const sdk::Error& error, std::uint64_t crc_at, std::uint64_t file_bytes) {
    if (file_bytes < crc_at + 8) return file_bytes;
    if (error.what.find("checksum") != std::string::npos) return crc_at;
    if (error.what.find("version") != std::string::npos) return crc_at - 2;
    return error.what.find("holds no") != std::string::npos ? 0 : crc_at + 4;
}

sdk::FileItem item_of(const log::ProducerEntry& producer, std::uint64_t position) {
    return {position,
            "producer",
            {{"producer_id", producer.id},
             {"producer_epoch", static_cast<std::int64_t>(producer.epoch)},
             {"coordinator_epoch", static_cast<std::int64_t>(producer.coordinator_epoch)},
             {"transaction_start", producer.transaction_start.value}}};
}

void add_batch(sdk::FileItem& item, const log::ProducerBatch& batch) {
    item.fields.emplace_back("last_sequence", static_cast<std::int64_t>(batch.last_sequence));
    item.fields.emplace_back("last_offset", batch.last_offset.value);
    item.fields.emplace_back("offset_delta", static_cast<std::int64_t>(batch.offset_delta));
    item.fields.emplace_back("timestamp", batch.timestamp.value);
}

struct Line {
    std::uint64_t at;
    std::string_view text;
};

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    std::uint64_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back({at, line});
        at = end + 1;
    }
    return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
}

std::optional<std::int64_t> number_in(std::string_view word) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
}

// Kafka's checkpoints: a version, a count, then one line for each entry, which `entry` tells; it
// says whether the line is one.
template <class Entry>
void tell_checkpoint(std::string_view text, sdk::FileReport& report, Entry entry) {
    const auto lines = lines_of(text);
    const auto version = lines.empty() ? std::nullopt : number_in(lines[0].text);
    if (version != 0) return report.damage(0, "a first line that is not the version 0");
    const auto count = lines.size() < 2 ? std::nullopt : number_in(lines[1].text);
    if (!count || *count < 0)
        return report.damage(lines.size() < 2 ? text.size() : lines[1].at,
                             "a second line that is not the count of entries");
    for (std::size_t i = 2; i < lines.size(); ++i) {
        if (!entry(lines[i])) report.damage(lines[i].at, "a line that is no entry");
    }
    const auto there = static_cast<std::int64_t>(lines.size()) - 2;
    if (there != *count)
        report.damage(lines[1].at, std::to_string(there) + " entries, where the file says " +
                                       std::to_string(*count));
}

}  // namespace

void tell_snapshot(const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
    constexpr std::uint64_t crc_at = 2;
    constexpr std::uint64_t entries_at = 10;
    constexpr std::uint64_t entry_bytes = 46;
    const auto bytes = small(file, report);
    if (!bytes) return;
    const auto producers = log::ProducerState::decode_snapshot(*bytes, sdk::Timestamp{-1});
    if (!producers) {
        const auto place = place_of(producers.error(), crc_at, bytes->size());
        return report.damage(place, producers.error().what);
    }
    std::uint64_t at = entries_at;
    for (const auto& producer : *producers) {
        auto item = item_of(producer, at);
        add_batch(item, producer.size == 0 ? log::ProducerBatch{} : *producer.newest());
        report.item(item);
        at += entry_bytes;
    }
}

void tell_producers(const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
    constexpr std::uint64_t crc_at = 10;
    constexpr std::uint64_t producer_bytes = 31;
    constexpr std::uint64_t batch_bytes = 28;
    const auto bytes = small(file, report);
    if (!bytes) return;
    const auto producers = log::ProducerState::decode_windows(*bytes);
    if (!producers) {
        const auto place = place_of(producers.error(), crc_at, bytes->size());
        return report.damage(place, producers.error().what);
    }
    std::uint64_t at = crc_at + 8;
    for (const auto& producer : *producers) {
        auto item = item_of(producer, at);
        item.fields.emplace_back("last_seen", producer.last_seen.value);
        item.fields.emplace_back("batches", static_cast<std::int64_t>(producer.size));
        report.item(item);
        at += producer_bytes;
        for (std::size_t i = 0; i < producer.size; ++i) {
            sdk::FileItem batch{at, "producer_batch", {}};
            batch.fields.emplace_back("first_sequence",
                                      std::int64_t{producer.batches[i].base_sequence});
            add_batch(batch, producer.batches[i]);
            report.item(batch);
            at += batch_bytes;
        }
    }
}

void tell_leader_epochs(const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
    const auto bytes = small(file, report);
    if (!bytes) return;
    std::int64_t last_epoch = -1;
    std::int64_t last_start = -1;
    tell_checkpoint(text_of(*bytes), report, [&](const Line& line) {
        const auto words = words_of(line.text);
        const auto epoch = words.size() == 2 ? number_in(words[0]) : std::nullopt;
        const auto start = words.size() == 2 ? number_in(words[1]) : std::nullopt;
        if (!epoch || !start) return false;
        report.item({line.at, "epoch", {{"leader_epoch", *epoch}, {"start_offset", *start}}});
        if (*epoch <= last_epoch || *start < last_start)
            report.damage(line.at, "an epoch that is not above the one before");
        last_epoch = *epoch;
        last_start = *start;
        return true;
    });
}

void tell_offset_checkpoint(const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
    const auto bytes = small(file, report);
    if (!bytes) return;
    tell_checkpoint(text_of(*bytes), report, [&](const Line& line) {
        const auto words = words_of(line.text);
        const auto partition = words.size() == 3 ? number_in(words[1]) : std::nullopt;
        const auto offset = words.size() == 3 ? number_in(words[2]) : std::nullopt;
        if (!partition || !offset || words[0].empty() || *partition < 0) return false;
        report.item(
            {line.at,
             "partition",
             {{"topic", std::string{words[0]}}, {"partition", *partition}, {"offset", *offset}}});
        return true;
    });
}

void tell_properties(const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
    const bool of_partition = file.path().filename() == "partition.metadata";
    const auto bytes = small(file, report);
    if (!bytes) return;
    bool has_version = false;
    for (const Line& line : lines_of(text_of(*bytes))) {
        if (line.text.empty() || line.text[0] == '#') continue;
        const std::size_t end = line.text.find(of_partition ? ": " : "=");
        if (end == std::string_view::npos) {
            report.damage(line.at, "a line that is no property");
            continue;
        }
        const std::string_view key = line.text.substr(0, end);
        sdk::FileItem item{line.at, "property", {}};
        add_bytes(item, "key", key);
        add_bytes(item, "value", line.text.substr(end + (of_partition ? 2 : 1)));
        report.item(item);
        has_version = has_version || key == "version";
    }
    if (!has_version) report.damage(bytes->size(), "no `version` in the file");
}

void tell_line(const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
    sdk::FileItem item{0, "text", {}};
    const auto bytes = file.whole(most_line_bytes);
    add_bytes(item, "text", text_of(bytes));
    report.item(item);
}

}  // namespace leat::app
