// A random history of a keyed topic, what is held of it, and what may be found of it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/log/compressed_batch.h"
#include "core/wire/batch_builder.h"
#include "core/wire/record_reader.h"

namespace leat::broker::testing {

class KeyedHistory {
public:
    using Value = std::optional<std::string>;
    using Record = std::pair<std::string, Value>;

    explicit KeyedHistory(unsigned seed) : random_{seed} {}

    std::mt19937& random() { return random_; }

    // The next batch, and what it does to the map once it is known to be in the log.
    std::vector<std::byte> next_batch(sdk::Timestamp wall) {
        pending_.clear();
        const bool from_producer = random_() % 2 == 0;
        wire::BatchFields fields;
        if (from_producer) {
            fields.producer_id = static_cast<std::int64_t>(random_() % 3);
            fields.producer_epoch = 0;
            fields.base_sequence = sequences_[fields.producer_id];
        }
        wire::BatchBuilder batch{fields};
        const unsigned count = 1 + random_() % 4;
        for (unsigned i = 0; i < count; ++i) {
            std::string key = "key" + std::to_string(random_() % 12);
            Value value = "value" + std::to_string(++values_);
            if (random_() % 4 == 0) value.reset();
            std::optional<std::string_view> shown;
            if (value) shown = *value;
            batch.add({.key = key, .value = shown, .timestamp = wall});
            pending_.emplace_back(std::move(key), std::move(value));
        }
        if (from_producer) sequences_[fields.producer_id] += static_cast<int>(count);
        constexpr compression::Codec codecs[] = {compression::Codec::none, compression::Codec::none,
                                                 compression::Codec::lz4, compression::Codec::zstd,
                                                 compression::Codec::gzip};
        return log::compressed_batch(batch, codecs[random_() % std::size(codecs)]);
    }
    void appended(sdk::Offset base) {
        std::int64_t offset = base.value;
        for (auto& [key, value] : pending_) {
            newest_[key] = offset;
            at_[offset++] = {key, value};
        }
        pending_.clear();
        end_ = offset;
    }
    std::int64_t end() const { return end_; }
    std::size_t appended_records() const { return at_.size(); }

    // Nothing if what is found in `log` is right: each record as it was sent, in order; of each key
    // the newest, or of a deleted one perhaps nothing; above `whole` every record.
    std::optional<std::string> mismatch(std::span<const std::byte> log, std::int64_t whole) {
        std::map<std::string, std::int64_t> found;
        std::int64_t last = -1;
        std::size_t above = 0;
        while (!log.empty()) {
            const wire::BatchView batch{log};
            if (!batch.is_whole() || !batch.crc_matches()) return "bytes that are no batch";
            log = log.subspan(batch.size());
            if (batch.base_offset().value <= last) return "offsets that go back";
            std::vector<std::byte> plain{batch.records().begin(), batch.records().end()};
            if (batch.codec_id() != 0) {
                plain = *compression::decompress(*compression::codec_of(batch.codec_id()), plain);
            }
            wire::RecordReader reader{plain};
            while (!reader.at_end()) {
                const auto record = reader.next();
                if (!record) return "a batch with damaged records";
                const std::int64_t at = (batch.base_offset() + record->offset_delta).value;
                if (at <= last) return "records that go back";
                last = at;
                if (at >= whole) ++above;
                const Record was{text(*record->key),
                                 record->value ? Value{text(*record->value)} : Value{}};
                if (at < end_ && at_[at] != was) return "another record at " + std::to_string(at);
                if (at < end_) found[was.first] = at;
            }
            last = batch.last_offset().value;
        }
        if (last + 1 < end_) return "the log ends at " + std::to_string(last + 1);
        for (const auto& [key, at] : newest_) {
            const bool deleted = !at_[at].second;
            if (!found.contains(key) && deleted) continue;
            if (!found.contains(key) || found[key] != at) return key + " is not as it was last";
        }
        if (above < static_cast<std::size_t>(std::max<std::int64_t>(0, end_ - whole))) {
            return "records are missing above " + std::to_string(whole);
        }
        return std::nullopt;
    }
    static std::size_t records_in(std::span<const std::byte> log) {
        std::size_t records = 0;
        while (!log.empty()) {
            const wire::BatchView batch{log};
            records += static_cast<std::size_t>(batch.record_count());
            log = log.subspan(batch.size());
        }
        return records;
    }

private:
    static std::string text(std::span<const std::byte> bytes) {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    std::mt19937 random_;
    int values_ = 0;
    std::map<std::int64_t, std::int32_t> sequences_;
    std::vector<Record> pending_;
    std::map<std::int64_t, Record> at_;
    std::map<std::string, std::int64_t> newest_;
    std::int64_t end_ = 0;
};

}  // namespace leat::broker::testing
