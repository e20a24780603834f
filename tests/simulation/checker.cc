#include "tests/simulation/checker.h"

#include <algorithm>
#include <charconv>

#include "core/wire/record_batch.h"
#include "core/wire/record_reader.h"
#include "leat/sdk/ensure.h"

namespace leat::simulation {

using std::chrono::milliseconds;

namespace {

// Beyond the interval: a sync that is running, the next one, and the way to a worker and back.
constexpr sdk::Instant sync_slack = milliseconds{1500};

std::string named(const TopicPartition& where, std::int64_t offset) {
    return where.first + "-" + std::to_string(where.second) + " offset " + std::to_string(offset);
}

int number_in(std::string_view value) {
    int number = -1;
    const auto dash = value.find('-');
    std::from_chars(value.data() + dash + 1, value.data() + value.size(), number);
    return number;
}

}  // namespace

std::string record_value(bool idempotent, int producer, int number) {
    return (idempotent ? "i" : "p") + std::to_string(producer) + "-" + std::to_string(number);
}

std::vector<SeenRecord> records_in(std::span<const std::byte> batches) {
    std::vector<SeenRecord> seen;
    while (batches.size() >= wire::batch_header_bytes) {
        const wire::BatchView batch{batches};
        if (!batch.is_whole() || !batch.crc_matches()) {
            seen.push_back({-1, "a damaged batch"});
            return seen;
        }
        wire::RecordReader reader{batch.records()};
        while (!reader.at_end()) {
            const auto record = reader.next();
            if (!record || !record->value) {
                seen.push_back({-1, "a damaged record"});
                return seen;
            }
            seen.push_back({batch.base_offset().value + record->offset_delta,
                            {reinterpret_cast<const char*>(record->value->data()),
                             record->value->size()}});
        }
        batches = batches.subspan(batch.size());
    }
    return seen;
}

Checker::Told& Checker::tell(const TopicPartition& where, std::int64_t offset,
                             const std::string& value) {
    auto [at, fresh] = told_[where].try_emplace(offset, Told{value, world_.now()});
    if (fresh) ++told_records_;
    if (at->second.value != value) {
        violated(named(where, offset) + " was " + at->second.value + " and now is " + value);
    }
    if (value.starts_with("i")) {
        const auto [place, first] = places_[where].try_emplace(value, offset);
        if (place->second != offset) {
            violated(value + " is at " + named(where, offset) + " and at " +
                     std::to_string(place->second));
        }
    }
    return at->second;
}

void Checker::acknowledged(const TopicPartition& where, std::int64_t base,
                           const std::vector<std::string>& values) {
    for (const std::string& value : values) {
        Told& told = tell(where, base++, value);
        if (!std::exchange(told.acknowledged, true)) told.at = world_.now();
    }
}

void Checker::shown(const TopicPartition& where, const SeenRecord& record) {
    tell(where, record.offset, record.value);
}

bool Checker::promised(const std::string& topic, const Told& told, const Loss& loss) const {
    if (!told.acknowledged) return false;
    const broker::FlushPromise& promise = promises_.at(topic);
    if (promise.kind == broker::FlushPromise::Kind::each) return true;
    if (loss.disk_failed || promise.kind == broker::FlushPromise::Kind::none) return false;
    if (told.at < run_began_) return false;
    return told.at + promise.interval + sync_slack < world_.now();
}

void Checker::lost(const std::vector<Loss>& losses, bool machine) {
    for (const Loss& loss : losses) {
        if (!promises_.contains(loss.id.topic) || loss.kept >= loss.had) continue;
        sdk::ensure(machine || loss.disk_failed, "this disk forgets for a reason");
        const TopicPartition where{loss.id.topic, loss.id.index};
        Records& told = told_[where];
        for (auto at = told.lower_bound(loss.kept.value); at != told.end();) {
            if (promised(where.first, at->second, loss)) {
                violated(named(where, at->first) + " was acknowledged and is lost");
            }
            if (at->second.acknowledged) lossy_[where] = true;
            places_[where].erase(at->second.value);
            at = told.erase(at);
        }
        const auto [lowest, first] = lowest_end_.try_emplace(where, loss.kept.value);
        lowest->second = std::min(lowest->second, loss.kept.value);
    }
    run_began_ = world_.now();
}

bool Checker::may_end_below(const TopicPartition& where, std::int64_t position) const {
    const auto found = lowest_end_.find(where);
    return found != lowest_end_.end() && found->second < position;
}

void Checker::compare(const TopicPartition& where, const std::vector<SeenRecord>& stored) {
    std::map<std::int64_t, const std::string*> by_offset;
    std::map<std::string, int> newest;  // Of each idempotent producer.
    std::int64_t next = 0;
    for (const SeenRecord& record : stored) {
        tell(where, record.offset, record.value);
        by_offset[record.offset] = &record.value;
        if (record.offset != next++) violated("a gap before " + named(where, record.offset));
        if (!record.value.starts_with("i")) continue;
        const std::string producer = record.value.substr(0, record.value.find('-'));
        const int number = number_in(record.value);
        const auto [latest, first] = newest.try_emplace(producer, -1);
        if (number <= latest->second) {
            violated(record.value + " came after a later one, at " + named(where, record.offset));
        }
        if (number > latest->second + 1 && !lossy(where)) {
            violated("records are missing before " + record.value);
        }
        latest->second = number;
    }
    for (const auto& [offset, told] : told_[where]) {
        if (by_offset.contains(offset)) continue;
        violated(named(where, offset) + " with " + told.value + " is gone");
    }
}

void Checker::violated(const std::string& what) {
    world_.note("VIOLATION", what);
    if (!violation_) violation_ = what;
}

}  // namespace leat::simulation
