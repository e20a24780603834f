#include "tests/simulation/offset_asker.h"

#include <algorithm>

#include "core/wire/record_batch.h"
#include "tests/simulation/offset_model.h"

namespace leat::simulation {

using std::chrono::milliseconds;
using wire::ErrorCode;

namespace {

constexpr std::int64_t latest = -1;
constexpr std::int64_t earliest = -2;
constexpr std::int64_t newest = -3;
constexpr std::int64_t earliest_local = -4;
constexpr wire::Version first_with_epochs = 4;
constexpr wire::Version first_with_newest = 7;
constexpr wire::Version first_with_local = 8;

std::string said(std::int64_t offset, std::int64_t timestamp, std::int32_t epoch) {
    return "offset " + std::to_string(offset) + " of " + std::to_string(timestamp) + " in epoch " +
           std::to_string(epoch);
}

// Nothing is what the model found not.
bool same(const wire::ListOffsetsResponse::Partition& answer,
          const std::optional<FoundRecord>& found, wire::Version version) {
    const FoundRecord model = found.value_or(FoundRecord{});
    return answer.offset == model.offset && answer.timestamp == model.timestamp &&
           (version < first_with_epochs || answer.leader_epoch == model.epoch);
}

std::string complaint(const wire::ListOffsetsResponse::Partition& answer,
                      const std::optional<FoundRecord>& found) {
    const FoundRecord model = found.value_or(FoundRecord{});
    return said(answer.offset, answer.timestamp, answer.leader_epoch) + " instead of " +
           said(model.offset, model.timestamp, model.epoch);
}

}  // namespace

void OffsetAsker::ask() {
    const TopicPartition& where = about_[random().below(about_.size())];
    const Life* life = checker().lives().living(where.first);
    if (life == nullptr) {
        return later(milliseconds{50}, [this] {
            if (is_connected() && in_flight() == 0) ask();
        });
    }
    const auto version = static_cast<wire::Version>(1 + random().below(11));
    const Question question{.where = where,
                            .life = life,
                            .timestamp = timestamp_for(*life, where.second, version),
                            .version = version,
                            .end = disk_.end(life->id, where.second)};
    wire::ListOffsetsRequest list{.replica_id = -1};
    list.topics.push_back({.name = where.first});
    list.topics.back().partitions.push_back(
        {.partition_index = where.second, .timestamp = question.timestamp});
    request(list, version, [this, question](std::optional<std::span<const std::byte>> body) {
        if (body) answered(question, *body);
    });
}

// Of a record that there is, or beside it, or any.
std::int64_t OffsetAsker::timestamp_for(const Life& life, std::int32_t index,
                                        wire::Version version) {
    if (random().chance(100)) return latest;
    if (random().chance(100)) return version < first_with_local ? earliest : earliest_local;
    if (version >= first_with_newest && random().chance(300)) return newest;
    const StoredLog* log = disk_.log(life.id, index);
    if (log == nullptr || log->batches.empty() || random().chance(200)) {
        return environment_.world.client_clock().value -
               static_cast<std::int64_t>(random().below(10'000));
    }
    const auto& batch = log->batches[random().below(log->batches.size())];
    const auto beside = static_cast<std::int64_t>(random().below(3)) - 1;
    return wire::BatchView{*batch.bytes}.max_timestamp().value + beside;
}

void OffsetAsker::answered(const Question& question, std::span<const std::byte> body) {
    const auto response = wire::decode<wire::ListOffsetsResponse>(body, question.version);
    const bool whole =
        response && response->topics.size() == 1 && response->topics[0].partitions.size() == 1;
    if (!whole) return checker().violated("a ListOffsets answer is none");
    if (question.life->live()) compare(question, response->topics[0].partitions[0]);
    later(random().between(milliseconds{1}, milliseconds{60}), [this] {
        if (is_connected() && in_flight() == 0) ask();
    });
}

void OffsetAsker::compare(const Question& question, const Answer& answer) {
    switch (answer.error_code) {
        case ErrorCode::none:
            break;
        case ErrorCode::not_leader_or_follower:
        case ErrorCode::kafka_storage_error:
            return;
        default:
            return checker().violated("ListOffsets answered " +
                                      std::string{wire::name_of(answer.error_code)});
    }
    ++compared_;
    const auto complaint = wrong(question, answer);
    if (!complaint) return;
    checker().violated("ListOffsets of " + question.life->label + "-" +
                       std::to_string(question.where.second) + " at " +
                       std::to_string(question.timestamp) + " gave " + *complaint);
}

std::optional<std::string> OffsetAsker::wrong(const Question& question,
                                              const Answer& answer) const {
    switch (question.timestamp) {
        case latest:
        case earliest:
        case earliest_local:
            return wrong_end(question, answer);
        case newest:
            return wrong_newest(question, answer);
        default:
            return wrong_time(question, answer);
    }
}

std::optional<std::string> OffsetAsker::wrong_end(const Question& question,
                                                  const Answer& answer) const {
    const std::string what = said(answer.offset, answer.timestamp, answer.leader_epoch);
    const bool knows_epochs = question.version >= first_with_epochs;
    const StoredLog* log = disk_.log(question.life->id, question.where.second);
    if (answer.timestamp != -1 || log == nullptr) return what;
    if (question.timestamp == latest) {
        const bool between = question.end.value <= answer.offset && answer.offset <= log->end.value;
        if (!between || (knows_epochs && answer.leader_epoch < 0)) return what;
        return std::nullopt;
    }
    if (answer.offset != log->begin.value) return what;
    const auto epoch = first_epoch(*log);
    if (knows_epochs && question.end > log->begin && epoch && answer.leader_epoch != *epoch) {
        return what + ", where the first batch is of epoch " + std::to_string(*epoch);
    }
    return std::nullopt;
}

std::optional<std::string> OffsetAsker::wrong_newest(const Question& question,
                                                     const Answer& answer) const {
    const StoredLog* log = disk_.log(question.life->id, question.where.second);
    if (log == nullptr) return "an answer of no log";
    const auto possible = newest_between(*log, question.end, log->end);
    const auto is_it = [&](const auto& found) { return same(answer, found, question.version); };
    if (std::ranges::any_of(possible, is_it)) return std::nullopt;
    return complaint(answer, possible.empty() ? std::nullopt : possible.back());
}

// What was there when it was asked is there all the while; if there was nothing, it may have come.
std::optional<std::string> OffsetAsker::wrong_time(const Question& question,
                                                   const Answer& answer) const {
    const StoredLog* log = disk_.log(question.life->id, question.where.second);
    if (log == nullptr) return "an answer of no log";
    const auto before = first_not_older(*log, question.timestamp, question.end);
    if (same(answer, before, question.version)) return std::nullopt;
    const auto now = first_not_older(*log, question.timestamp, log->end);
    if (!before && same(answer, now, question.version)) return std::nullopt;
    return complaint(answer, before ? before : now);
}

}  // namespace leat::simulation
