#include "tests/simulation/consumer.h"

#include <algorithm>
#include <utility>

#include "core/wire/messages/list_offsets.h"

namespace leat::simulation {

using std::chrono::milliseconds;
using wire::ErrorCode;

namespace {

constexpr wire::Version first_by_id = 13;
constexpr wire::Version list_version = 7;
constexpr std::int64_t latest = -1;
constexpr std::int64_t earliest = -2;
using Body = std::optional<std::span<const std::byte>>;

// What a consumer of Kafka's own client handles; anything else ends it.
bool handled(ErrorCode error) {
    static constexpr std::int16_t codes[] = {1, 6, 9, 29, 56, 74, 75, 78, -1};
    return std::ranges::count(codes, static_cast<std::int16_t>(error)) > 0;
}

bool names_nothing(ErrorCode error) {
    return error == ErrorCode::unknown_topic_or_partition || error == ErrorCode::unknown_topic_id ||
           error == ErrorCode::inconsistent_topic_id;
}

}  // namespace

Consumer::Consumer(Environment environment, ConsumerPlan plan)
    : Client{environment, plan.name}, plan_{std::move(plan)} {
    for (const auto& where : plan_.from) readings_[where] = {};
    patience_ = plan_.longest_poll + std::chrono::seconds{6};
}

void Consumer::ready() {
    poll();
}

void Consumer::poll() {
    wire::FetchRequest fetch{
        .max_wait_ms = static_cast<std::int32_t>(plan_.longest_poll.count() / 1'000'000),
        .min_bytes = 1,
        .max_bytes = static_cast<std::int32_t>(300 + random().below(10'000))};
    const auto version = static_cast<wire::Version>(4 + random().below(15));
    Meant meant;
    for (auto& [where, reading] : readings_) {
        const Life* life = checker().lives().living(where.first);
        if (life == nullptr) continue;
        if (reading.life != life) reading = {.life = life};
        meant[where] = life;
        if (fetch.topics.empty() || fetch.topics.back().topic != where.first) {
            fetch.topics.push_back({.topic = where.first, .topic_id = life->id});
        }
        fetch.topics.back().partitions.push_back(
            {.partition = where.second,
             .fetch_offset = reading.position,
             .partition_max_bytes = static_cast<std::int32_t>(100 + random().below(6000))});
    }
    back_off_ = meant.empty();
    if (meant.empty()) return go_on();
    request(fetch, version, [this, version, meant = std::move(meant)](Body body) {
        if (body) polled(*body, version, meant);
    });
}

void Consumer::polled(std::span<const std::byte> body, wire::Version version, const Meant& meant) {
    const auto response = wire::decode<wire::FetchResponse>(body, version);
    if (!response || response->error_code != ErrorCode::none) {
        return checker().violated("a Fetch answer is none");
    }
    const bool by_id = version >= first_by_id;
    for (const auto& topic : response->responses) {
        for (const auto& partition : topic.partitions) {
            const Life* named = by_id ? checker().lives().by_id(topic.topic_id) : nullptr;
            const TopicPartition where{named != nullptr ? named->name : topic.topic,
                                       partition.partition_index};
            const auto found = meant.find(where);
            if (found == meant.end() || (by_id && found->second != named)) {
                return checker().violated("a Fetch answer is of what nobody asked for");
            }
            take(where, *found->second, by_id, partition);
        }
    }
    go_on();
}

void Consumer::go_on() {
    if (random().chance(plan_.ghosts) && ask_a_ghost()) return;
    if (random().chance(plan_.seeks)) seek();
    if (in_flight() > 0) return;  // A seek polls when it is answered.
    if (!std::exchange(back_off_, false)) return poll();
    later(milliseconds{100}, [this] {
        if (is_connected() && in_flight() == 0) poll();
    });
}

void Consumer::take(const TopicPartition& where, const Life& life, bool by_id,
                    const wire::FetchResponse::Partition& answer) {
    // By name, an answer from about the time of a deletion may be of either topic.
    if (!by_id && !life.live()) return;
    if (answer.error_code != ErrorCode::none) return failed(where, life, answer.error_code);
    if (!answer.records) return checker().violated("records are null");
    if (readings_[where].life == &life) take_records(where, life, answer);
}

void Consumer::failed(const TopicPartition& where, const Life& life, ErrorCode error) {
    back_off_ = true;
    if (error == ErrorCode::offset_out_of_range) {
        if (life.live()) out_of_range(where);
        return;
    }
    if (names_nothing(error) && !life.live()) return;
    if (handled(error)) return;
    checker().violated("a consumer of " + life.label + " got " + std::string{wire::name_of(error)});
}

void Consumer::take_records(const TopicPartition& where, const Life& life,
                            const wire::FetchResponse::Partition& answer) {
    Reading& reading = readings_[where];
    for (SeenRecord& record : records_in(*answer.records)) {
        if (record.offset >= 0 && record.offset < reading.position) continue;  // Mid-batch.
        if (record.offset != reading.position) {
            return checker().violated("a consumer at " + std::to_string(reading.position) +
                                      " was shown offset " + std::to_string(record.offset));
        }
        if (record.offset >= answer.high_watermark) {
            return checker().violated("a record above the high watermark was shown");
        }
        checker().shown({life.label, where.second}, record);
        reading.seen.push_back(std::move(record));
        ++reading.position;
    }
}

void Consumer::out_of_range(const TopicPartition& where) {
    const Reading& reading = readings_[where];
    if (!checker().may_end_below({reading.life->label, where.second}, reading.position)) {
        return checker().violated("a position that was good is out of range");
    }
    seek_to(where, earliest);
}

// By the id of a topic that is gone for everybody: nothing of it is served any more.
bool Consumer::ask_a_ghost() {
    std::vector<const Life*> dead;
    for (const Life& life : checker().lives().all()) {
        if (life.stage == Life::Stage::dead) dead.push_back(&life);
    }
    if (dead.empty()) return false;
    const Life& ghost = *dead[random().below(dead.size())];
    wire::FetchRequest fetch{.max_wait_ms = 10, .min_bytes = 1};
    fetch.topics.push_back({.topic_id = ghost.id});
    fetch.topics.back().partitions.push_back({.partition = 0, .partition_max_bytes = 1000});
    const auto version = static_cast<wire::Version>(first_by_id + random().below(6));
    request(fetch, version, [this, version, &ghost](Body body) {
        if (!body) return;
        const auto response = wire::decode<wire::FetchResponse>(*body, version);
        const bool whole = response && response->responses.size() == 1 &&
                           response->responses[0].partitions.size() == 1;
        if (!whole) return checker().violated("a Fetch answer is none");
        const auto& answer = response->responses[0].partitions[0];
        if (answer.error_code != ErrorCode::unknown_topic_id ||
            (answer.records && !answer.records->empty())) {
            return checker().violated(
                ghost.label + " is still served: " + std::string{wire::name_of(answer.error_code)});
        }
        poll();
    });
    return true;
}

void Consumer::seek() {
    const auto& where = plan_.from[random().below(plan_.from.size())];
    constexpr std::int64_t second = 1000;
    const auto now = environment_.world.client_clock().value;
    const std::int64_t choices[] = {earliest, latest,
                                    now - static_cast<std::int64_t>(random().below(10 * second))};
    seek_to(where, choices[random().below(3)]);
}

void Consumer::seek_to(const TopicPartition& where, std::int64_t timestamp) {
    const Life* life = checker().lives().living(where.first);
    if (life == nullptr || readings_[where].life != life) return;
    wire::ListOffsetsRequest list{.replica_id = -1};
    list.topics.push_back({.name = where.first});
    list.topics.back().partitions.push_back(
        {.partition_index = where.second, .timestamp = timestamp});
    request(list, list_version, [this, where, life](Body body) {
        if (!body) return;
        const auto response = wire::decode<wire::ListOffsetsResponse>(*body, list_version);
        const bool whole =
            response && response->topics.size() == 1 && response->topics[0].partitions.size() == 1;
        if (!whole) return checker().violated("a ListOffsets answer is none");
        const auto& found = response->topics[0].partitions[0];
        if (life->live() && found.error_code == ErrorCode::none && found.offset >= 0) {
            note("seeks to " + std::to_string(found.offset));
            readings_[where] = {.life = life, .position = found.offset};
        }
        if (in_flight() == 0) poll();
    });
}

}  // namespace leat::simulation
