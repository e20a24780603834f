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

std::string named(const Place& where, std::int64_t offset) {
    return where.first + "-" + std::to_string(where.second) + " offset " + std::to_string(offset);
}

std::string producer_in(const std::string& value) {
    return value.substr(0, value.find('-'));
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
            seen.push_back({-1, "a damaged batch", {}});
            return seen;
        }
        wire::RecordReader reader{batch.records()};
        while (!reader.at_end()) {
            const auto record = reader.next();
            if (!record || !record->value) {
                seen.push_back({-1, "a damaged record", {}});
                return seen;
            }
            const auto timestamp = batch.log_append_time()
                                       ? batch.max_timestamp().value
                                       : batch.base_timestamp().value + record->timestamp_delta;
            seen.push_back(
                {batch.base_offset().value + record->offset_delta,
                 {reinterpret_cast<const char*>(record->value->data()), record->value->size()},
                 {timestamp}});
        }
        batches = batches.subspan(batch.size());
    }
    return seen;
}

Checker::Told& Checker::tell(const Place& where, const SeenRecord& record) {
    auto [at, fresh] =
        told_[where].try_emplace(record.offset, Told{record.value, record.timestamp, world_.now()});
    const Told& told = at->second;
    if (fresh) ++told_records_;
    if (told.value != record.value) {
        violated(named(where, record.offset) + " was " + told.value + " and now is " +
                 record.value);
    } else if (told.timestamp != record.timestamp) {
        violated(named(where, record.offset) + " was of " + std::to_string(told.timestamp.value) +
                 " and now is of " + std::to_string(record.timestamp.value));
    }
    has_one_place(where, record);
    return at->second;
}

void Checker::has_one_place(const Place& where, const SeenRecord& record) {
    const auto [place, first] = places_.try_emplace(record.value, std::pair{where, record.offset});
    const auto& [other, offset] = place->second;
    if (other == where && offset == record.offset) return;
    if (other != where && given_up_.contains(record.value)) return;
    violated(record.value + " is at " + named(where, record.offset) + " and at " +
             named(other, offset));
}

void Checker::acknowledged(const Place& where, std::int64_t base,
                           const std::vector<SentRecord>& sent) {
    for (const SentRecord& record : sent) {
        Told& told = tell(where, {base++, record.value, record.timestamp});
        if (!std::exchange(told.acknowledged, true)) told.at = world_.now();
    }
}

void Checker::shown(const Place& where, const SeenRecord& record) {
    tell(where, record);
}

void Checker::begins(const Place& where, int producer, int number) {
    first_numbers_[{where, producer_in(record_value(true, producer, number))}] = number;
}

void Checker::gave_up(const std::vector<SentRecord>& sent) {
    for (const SentRecord& record : sent) given_up_.insert(record.value);
}

void Checker::died(const Place& where) {
    told_.erase(where);
}

bool Checker::promised(const Life& life, const Told& told, const Loss& loss) const {
    if (!told.acknowledged) return false;
    const broker::FlushPromise& promise = life.rules.promise;
    if (promise.kind == broker::FlushPromise::Kind::each) return true;
    if (loss.disk_failed || promise.kind == broker::FlushPromise::Kind::none) return false;
    if (told.at < run_began_) return false;
    return told.at + promise.interval + sync_slack < world_.now();
}

void Checker::lost(const std::vector<Loss>& losses, bool machine) {
    for (const Loss& loss : losses) {
        const Life* life = lives_.by_id(loss.id.topic_id);
        if (life == nullptr || life->stage == Life::Stage::dead || loss.kept >= loss.had) continue;
        sdk::ensure(machine || loss.disk_failed, "this disk forgets for a reason");
        const Place where{life->label, loss.id.index};
        Records& told = told_[where];
        for (auto at = told.lower_bound(loss.kept.value); at != told.end();) {
            if (life->live() && promised(*life, at->second, loss)) {
                violated(named(where, at->first) + " was acknowledged and is lost");
            }
            if (at->second.acknowledged) lossy_.insert(where);
            const auto place = places_.find(at->second.value);
            if (place != places_.end() && place->second.first == where) places_.erase(place);
            at = told.erase(at);
        }
        const auto [lowest, first] = lowest_end_.try_emplace(where, loss.kept.value);
        lowest->second = std::min(lowest->second, loss.kept.value);
    }
    run_began_ = world_.now();
}

bool Checker::may_end_below(const Place& where, std::int64_t position) const {
    const auto found = lowest_end_.find(where);
    return found != lowest_end_.end() && found->second < position;
}

const Life* Checker::life_of(const Place& where) const {
    const auto found = std::ranges::find(lives_.all(), where.first, &Life::label);
    return found == lives_.all().end() ? nullptr : &*found;
}

void Checker::compare(const Place& where, const std::vector<SeenRecord>& stored) {
    std::set<std::int64_t> offsets;
    std::int64_t next = 0;
    for (const SeenRecord& record : stored) {
        tell(where, record);
        offsets.insert(record.offset);
        if (record.offset != next++) violated("a gap before " + named(where, record.offset));
    }
    for (const auto& [offset, told] : told_[where]) {
        if (offsets.contains(offset)) continue;
        violated(named(where, offset) + " with " + told.value + " is gone");
    }
    compare_order(where, stored);
    compare_times(where, stored);
}

void Checker::compare_order(const Place& where, const std::vector<SeenRecord>& stored) {
    std::map<std::string, int> newest;  // Of each idempotent producer.
    for (const auto& [who, number] : first_numbers_) {
        if (who.first == where) newest[who.second] = number - 1;
    }
    for (const SeenRecord& record : stored) {
        if (!record.value.starts_with("i") || given_up_.contains(record.value)) continue;
        const int number = number_in(record.value);
        int& latest = newest.try_emplace(producer_in(record.value), -1).first->second;
        if (number <= latest) {
            violated(record.value + " came after a later one, at " + named(where, record.offset));
        }
        if (number > latest + 1 && !lossy(where)) {
            violated("records are missing before " + record.value);
        }
        latest = number;
    }
}

void Checker::compare_times(const Place& where, const std::vector<SeenRecord>& stored) {
    const Life* life = life_of(where);
    if (life == nullptr || !life->rules.log_append_time) return;
    int back = 0;
    for (std::size_t i = 1; i < stored.size(); ++i) {
        if (stored[i].timestamp < stored[i - 1].timestamp) ++back;
    }
    if (back > world_.wall().set_back()) violated("append times went back by themselves");
}

void Checker::violated(const std::string& what) {
    world_.note("VIOLATION", what);
    if (!violation_) violation_ = what;
}

}  // namespace leat::simulation
